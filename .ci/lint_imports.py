"""Run import-linter on the source tree: `make lint` and pre-commit call this instead of lint-imports.

The import hook of meson-python's editable installs reports a package directory that does not exist
(mesonbuild/meson-python#716), so import-linter finds no modules in it. Without the hook, Python finds the package in
the working directory.
"""

import sys

from importlinter.cli import lint_imports_command

if __name__ == "__main__":
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "MesonpyMetaFinder"]
    lint_imports_command()
