"""Build a wheel for each Python and try it as a new user would: `make wheel`.

    python tests/wheel.py [PYTHON ...]

For each interpreter, by default every supported one on the PATH: builds the sdist and from it the wheel, has
auditwheel repair it (on Linux), installs it with its dependencies into an empty environment and runs the example of the
README. The distributions are written to dist/. Needs auditwheel, of the dependency group `wheels`, on Linux.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
SUPPORTED = ["python3.10", "python3.11", "python3.12", "python3.13"]


def run(*command: str | Path, **options: object) -> str:
    """Run a command and return what it printed; end the program if it fails."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)  # type: ignore[call-overload]
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return str(done.stdout)


def readme_example() -> str:
    """Return the first Python block of the README."""
    found = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert found
    return found[1]


def build(python: str, scratch: Path) -> Path:
    """Build an sdist and a wheel, and repair the wheel; return it."""
    tools = scratch / "tools"
    run(python, "-m", "venv", tools)
    run(tools / "bin" / "pip", "install", "--quiet", "build")
    run(tools / "bin" / "python", "-m", "build", "--outdir", scratch / "built", ROOT)
    for sdist in (scratch / "built").glob("*.tar.gz"):
        shutil.copy(sdist, DIST)
    wheel = next((scratch / "built").glob("*.whl"))
    if sys.platform != "linux":
        return Path(shutil.copy(wheel, DIST))
    run(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", scratch / "repaired", wheel)
    return Path(shutil.copy(next((scratch / "repaired").glob("*.whl")), DIST))


def try_as_user(python: str, wheel: Path, scratch: Path) -> str:
    """Install a wheel into an empty environment and run the example; return the last line that it prints."""
    user = scratch / "user"
    run(python, "-m", "venv", user)
    run(user / "bin" / "pip", "install", "--quiet", "--only-binary=:all:", wheel)
    (scratch / "example.py").write_text(readme_example())
    return run(user / "bin" / "python", scratch / "example.py", cwd=scratch).strip().splitlines()[-1]


def main() -> None:
    """Build and try a wheel with each interpreter."""
    DIST.mkdir(exist_ok=True)
    for python in sys.argv[1:] or filter(shutil.which, SUPPORTED):
        with tempfile.TemporaryDirectory() as name:
            wheel = build(python, Path(name))
            if sys.platform == "linux":
                print(run(sys.executable, "-m", "auditwheel", "show", wheel).strip())
            print(f"{python}: {try_as_user(python, wheel, Path(name))[:80]}", flush=True)


if __name__ == "__main__":
    main()
