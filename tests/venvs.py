"""Virtual environments in which tests install the package."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path


def create_venv(place):
    """Create a virtual environment with the packages that are installed here; return its Python.

    The .pth files of these packages are ignored, so an editable install of this package does not take part.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    packages = [path for path in sys.path if path.endswith("site-packages")]
    next(Path(place).glob("lib/python*/site-packages")).joinpath("packages.pth").write_text("\n".join(packages))
    return str(Path(place, "bin", "python"))


def pip_install(python, *arguments):
    """Install the package with build tools and dependencies that are already installed."""
    # meson-python looks for meson and ninja on the PATH
    environment = os.environ | {"PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])}
    command = [python, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", *map(str, arguments)]
    subprocess.run(command, check=True, env=environment)
