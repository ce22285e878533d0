"""The CPU level of this machine, which selects the clones of the kernels."""

cdef extern from "wr_dispatch.h" nogil:
    int wr_cpu_level()


def cpu_level():
    """Return 4 or 3 for the clones of x86-64-v4 or v3, 0 for the compiler's default level."""
    return wr_cpu_level()
