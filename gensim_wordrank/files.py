"""Writing files so that a failure never leaves half of one, nor harms what was there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def replace_whole(path: str | os.PathLike[str], write: Callable[[str], None]) -> None:
    """Let `write(name)` write one or more files whose names begin with `name`, then move them beside `path`.

    `write` gets a name in a new directory of the same file system. Only when it has returned are its files renamed
    into place, the one that is called like `path` itself last.

    Examples
    --------
    >>> import os, tempfile
    >>> from pathlib import Path
    >>> from gensim_wordrank.files import replace_whole
    >>> target = os.path.join(tempfile.mkdtemp(), "notes.txt")
    >>> replace_whole(target, lambda name: Path(name).write_text("whole") and None)
    >>> Path(target).read_text()
    'whole'
    """
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"Cannot write '{target}': it is a directory. Give the name of a file.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"Cannot write '{target}': there is no directory '{target.parent}'. Make it first.")
    try:
        scratch = tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise type(error)(error.errno, f"Cannot write into '{target.parent}': {error.strerror}") from error
    with scratch:
        write(str(Path(scratch.name, target.name)))
        written = sorted(Path(scratch.name).iterdir(), key=lambda file: file.name == target.name)
        for file in written:
            file.replace(target.with_name(file.name))
