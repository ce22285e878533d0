"""The CPU level of the kernels that run on this machine."""

cdef extern from "wr_dispatch.h" nogil:
    const int wr_cpu_level


def cpu_level():
    """Return 4 or 3 for the kernels of x86-64-v4 or v3, 0 for the compiler's default level."""
    return wr_cpu_level
