"""Versions of this installation, for bug reports."""

from __future__ import annotations

import platform
from importlib import metadata

import numpy as np  # noqa: F401  # loads its BLAS, so that threadpoolctl finds it
import scipy.linalg  # noqa: F401  # loads SciPy's BLAS
from threadpoolctl import threadpool_info

from gensim_wordrank import _cpu

PACKAGES = ("gensim-wordrank", "gensim", "numpy", "scipy", "smart_open", "joblib", "threadpoolctl")


def versions() -> dict[str, str]:
    """Return versions, the CPU level of the kernels, and the OpenMP and BLAS libraries in use.

    Examples
    --------
    >>> from gensim_wordrank._utils.versions import versions
    >>> "CPU level" in versions()
    True
    """
    level = _cpu.cpu_level()
    pools = threadpool_info()
    blas = [f"{p['internal_api']} {p['version']}, {p['num_threads']} threads" for p in pools if p["user_api"] == "blas"]
    openmp = [f"{p['prefix']}, {p['num_threads']} threads" for p in pools if p["user_api"] == "openmp"]
    return {
        "Python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        **{name: metadata.version(name) for name in PACKAGES},
        "CPU level": f"x86-64-v{level}" if level else f"default of {platform.machine()}",
        "OpenMP": ("kernels: simd only, threads by Python; loaded: " + ("; ".join(openmp) or "none")),
        "BLAS": "; ".join(blas) or "not recognised",
    }


def show_versions() -> None:
    """Print :func:`versions`."""
    for name, value in versions().items():
        print(f"{name:16} {value}")  # noqa: T201  # its purpose
