"""The version, which is that of the program (CMakeLists.txt)."""

__version__ = "0.5.0"
