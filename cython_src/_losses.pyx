"""The losses of wr_losses.h over arrays: the same functions that the training kernels inline."""

cdef extern from "wr_losses.h" nogil:
    double wr_rank_loss(int kind, double t, double x)
    double wr_rank_slope(int kind, double t, double x)
    double wr_pair_loss(int kind, double x)
    double wr_pair_slope(int kind, double x)


def rank_loss(int kind, double t, bint slope, const double[::1] x, double[::1] out):
    """Write rho(x), or its slope rho'(x), into `out`."""
    cdef Py_ssize_t i
    if x.shape[0] != out.shape[0]:
        raise ValueError("x and out must have the same length")
    with nogil:
        for i in range(x.shape[0]):
            out[i] = wr_rank_slope(kind, t, x[i]) if slope else wr_rank_loss(kind, t, x[i])


def pair_loss(int kind, bint slope, const double[::1] x, double[::1] out):
    """Write l(x), or its slope l'(x), into `out`."""
    cdef Py_ssize_t i
    if x.shape[0] != out.shape[0]:
        raise ValueError("x and out must have the same length")
    with nogil:
        for i in range(x.shape[0]):
            out[i] = wr_pair_slope(kind, x[i]) if slope else wr_pair_loss(kind, x[i])
