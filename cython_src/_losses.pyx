"""The formulas of wr_losses.h over arrays: the same point functions that the training kernels inline."""

cdef extern from "wr_losses.h" nogil:
    double wr_rank_loss(int kind, double t, double x)
    double wr_rank_slope(int kind, double t, double x)
    double wr_pair_loss(int kind, double x)
    double wr_pair_slope(int kind, double x)


cdef int check_sizes(const double[::1] x, double[::1] out) except -1:
    if x.shape[0] != out.shape[0]:
        raise ValueError("x and out must have the same length")
    return 0


def rank_loss(int kind, double t, const double[::1] x, double[::1] out):
    """Write rho(x) into `out`."""
    cdef Py_ssize_t i
    check_sizes(x, out)
    with nogil:
        for i in range(x.shape[0]):
            out[i] = wr_rank_loss(kind, t, x[i])


def rank_slope(int kind, double t, const double[::1] x, double[::1] out):
    """Write rho'(x) into `out`."""
    cdef Py_ssize_t i
    check_sizes(x, out)
    with nogil:
        for i in range(x.shape[0]):
            out[i] = wr_rank_slope(kind, t, x[i])


def pair_loss(int kind, const double[::1] x, double[::1] out):
    """Write l(x) into `out`."""
    cdef Py_ssize_t i
    check_sizes(x, out)
    with nogil:
        for i in range(x.shape[0]):
            out[i] = wr_pair_loss(kind, x[i])


def pair_slope(int kind, const double[::1] x, double[::1] out):
    """Write l'(x) into `out`."""
    cdef Py_ssize_t i
    check_sizes(x, out)
    with nogil:
        for i in range(x.shape[0]):
            out[i] = wr_pair_slope(kind, x[i])
