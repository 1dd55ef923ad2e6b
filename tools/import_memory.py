"""import_memory.py -- how much memory the reading of a network may take.

Somebody else's code makes the network, and may make it of any size. What it asks for beyond the
limit is an error to it, not the end of everything on the machine.
"""
import contextlib
import os
import resource

GIB = 1 << 30


def half_of_the_machine():
    """In GiB."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2 / GIB


@contextlib.contextmanager
def limited(gib):
    """Beside what is mapped now: PyTorch itself maps gigabytes that it does not use."""
    before, most = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as statm:
        mapped = int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    limit = mapped + int(gib * GIB)
    if before != resource.RLIM_INFINITY:
        limit = min(limit, before)
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, most))


def is_shortage(error):
    """PyTorch says it by a RuntimeError."""
    return isinstance(error, MemoryError) or any(
        words in str(error) for words in ("DefaultCPUAllocator", "std::bad_alloc", "annot allocate memory"))
