#!/usr/bin/env python3
"""rooms.py SOURCES -- holds the sources to src/rooms.txt.

Every folder of src/ is a room of the list, and every room a folder. A source includes headers of its own room
and of those that its room may include. Libraries from outside belong to rooms. No circle of files that
include one another (a source counts with its header) is longer than two; KNOWN are those that are left.
"""
import os
import re
import sys

OWNERS = {  # header -> rooms, with all that is in them
    "jansson": ["base/json"],
    "simgrid": ["sim/exact"],
    "xbt": ["sim/exact"],
    "mpi": ["live"],
    "pthread": ["live", "kernels"],
    "cblas": ["kernels"],
}
KINDS = (".c", ".h", ".cu", ".cuh", ".cpp")


def read_rooms(path):
    rooms = {}
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r"([\w/]+): (.+?) <-((?: [\w/]+)*)", line)
        if not match:
            sys.exit(f"{path}:{number}: must be ROOM: WHAT <- ROOMS")
        rooms[match[1]] = match[3].split()
    return rooms


def sources(root):
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            if name.endswith(KINDS):
                yield os.path.relpath(os.path.join(folder, name), root)


def includes(path):
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        match = re.match(r'#include ["<]([^">]+)[">]', line)
        if match:
            yield number, match[1]


def circles(graph):
    """Sets of nodes that reach one another: Tarjan's algorithm, without recursion."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for start in sorted(graph):
        if start in index:
            continue
        work = [(start, iter(sorted(graph[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, edges = work[-1]
            for after in edges:
                if after not in index:
                    index[after] = low[after] = len(index)
                    stack.append(after)
                    on_stack.add(after)
                    work.append((after, iter(sorted(graph.get(after, ())))))
                    break
                if after in on_stack:
                    low[node] = min(low[node], index[after])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    circle = []
                    while not circle or circle[-1] != node:
                        circle.append(stack.pop())
                        on_stack.discard(circle[-1])
                    found.append(sorted(circle))
    return found


def main(root):
    src = os.path.join(root, "src")
    rooms = read_rooms(os.path.join(src, "rooms.txt"))
    errors, seen, graph = [], set(), {}
    for path in sources(src):
        room = os.path.dirname(path)
        stem = os.path.splitext(path)[0]
        seen.add(room)
        for number, name in includes(os.path.join(src, path)):
            where = f"src/{path}:{number}"
            other = os.path.dirname(name)
            if os.path.isfile(os.path.join(src, name)):
                graph.setdefault(stem, set()).add(os.path.splitext(name)[0])
                if other not in [room] + rooms.get(room, []):
                    errors.append(f"{where}: {name}: {room} may not include {other}")
            owners = OWNERS.get(re.split(r"[/.]", name)[0])
            if owners and not os.path.isfile(os.path.join(src, name)):
                if not any((room + "/").startswith(owner + "/") for owner in owners):
                    errors.append(f"{where}: <{name}> is for {', '.join(owners)} alone")
    for room in sorted(seen - set(rooms)):
        errors.append(f"src/rooms.txt: has no line for src/{room}")
    for room in sorted(set(rooms) - seen):
        errors.append(f"src/rooms.txt: {room} is no folder with sources")
    for room, others in rooms.items():
        for other in others:
            if other not in rooms:
                errors.append(f"src/rooms.txt: {room}: no room {other}")
    for node in graph:
        graph[node].discard(node)
    long = [circle for circle in circles(graph) if len(circle) > 2]
    for circle in long:
        errors.append("a circle of %d files: %s" % (len(circle), ", ".join(circle)))
    for line in errors:
        print(line)
    print(f"{len(rooms)} rooms, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
