"""Whole files or none."""

import errno
import importlib
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from gensim_wordrank._utils.atomic_files import (
    TEMPORARY_SUFFIX,
    _sibling_directory,
    describe_read_errors,
    require_writable_directory,
    require_writable_file,
    write_atomically,
    write_directory_atomically,
)


def write_two(name):
    """Write a file and a companion."""
    Path(name).write_text("new")
    Path(name + ".npy").write_text("new array")


def test_all_files_arrive(tmp_path):
    """A file and its companions are moved into place, and nothing else is left."""
    write_atomically(tmp_path / "model", write_two)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model", "model.npy"]
    assert (tmp_path / "model.npy").read_text() == "new array"


def test_a_failure_leaves_the_old_file(tmp_path):
    """What was there survives an error in the middle of writing, and no rubbish stays."""
    (tmp_path / "model").write_text("old")

    def fail(name):
        Path(name).write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_atomically(tmp_path / "model", fail)
    assert (tmp_path / "model").read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_places_that_cannot_be_written_are_named(tmp_path):
    """A directory in the way, or a missing one, is said before anything is written."""
    with pytest.raises(IsADirectoryError, match="it is a directory"):
        write_atomically(tmp_path, write_two)
    with pytest.raises(FileNotFoundError, match="no directory .*Create it first"):
        write_atomically(tmp_path / "missing" / "model", write_two)


def test_a_directory_without_permission_is_named(tmp_path, monkeypatch):
    """An unwritable directory is said by name, whoever runs this: the superuser could write anywhere."""

    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    with pytest.raises(PermissionError, match=f"Cannot write into '{tmp_path}': Permission denied"):
        write_atomically(tmp_path / "model", write_two)


def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path):
    """Also where it points to another directory, or to nothing yet; companions go beside the link."""
    (tmp_path / "elsewhere").mkdir()
    for name in ("old", "elsewhere/old", "elsewhere/new"):
        if name.endswith("old"):
            (tmp_path / name).write_text("old")
        link = tmp_path / f"link-{name.replace('/', '-')}"
        link.symlink_to(tmp_path / name)
        write_atomically(link, write_two)
        assert link.is_symlink()
        assert (tmp_path / name).read_text() == "new"
        assert Path(f"{link}.npy").read_text() == "new array"


def test_a_file_that_is_replaced_keeps_its_mode(tmp_path):
    """What was private stays private."""
    (tmp_path / "model").write_text("old")
    (tmp_path / "model").chmod(0o600)
    write_atomically(tmp_path / "model", write_two)
    assert (tmp_path / "model").stat().st_mode & 0o777 == 0o600


def test_a_pipe_is_written_to_and_stays(tmp_path):
    """The reader at the other end gets one file; several cannot go through."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(pipe.read_text)
        write_atomically(pipe, lambda name: Path(name).write_text("through the pipe") and None)
        assert reader.result(timeout=10) == "through the pipe"
    with pytest.raises(OSError, match="2 files to be written"):
        write_atomically(pipe, write_two)
    assert pipe.is_fifo()


def test_a_directory_can_be_checked_beforehand(tmp_path):
    """One that is empty or holds what it should is fine; a file in the way, and other files, are named."""
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="there is a file of that name"):
        require_writable_directory(tmp_path / "file", ["about"])
    for names in (["about"], ["about", "file"]):
        with pytest.raises(FileExistsError, match="holds other files"):
            require_writable_directory(tmp_path, names)
    require_writable_directory(tmp_path, ["file"])
    require_writable_directory(tmp_path / "new", ["about"])


def test_a_link_to_a_directory_stays(tmp_path):
    """What it points to is replaced, also if that is not there yet."""
    link, real = tmp_path / "link", tmp_path / "elsewhere" / "real"
    real.parent.mkdir()
    link.symlink_to(real)
    for content in ("one", "two"):
        write_directory_atomically(link, lambda place, content=content: (place / "file").write_text(content) and None)
        assert link.is_symlink()
        assert (real / "file").read_text() == content
    assert [path.name for path in real.parent.iterdir()] == ["real"]


def test_an_interruption_between_renames_loses_nothing(tmp_path, monkeypatch):
    """The old directory was moved away and the new one cannot take its name: the old one comes back."""
    target, rename = tmp_path / "pairs", Path.rename

    def interrupted(self, new):
        if self.name == "new" and not target.exists():
            raise KeyboardInterrupt
        return rename(self, new)

    write_directory_atomically(target, lambda place: (place / "file").write_text("old") and None)
    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_directory_atomically(target, lambda place: (place / "file").write_text("new") and None)
    assert (target / "file").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["pairs"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
def test_what_is_open_is_written_to_where_it_stands(tmp_path, name):
    """A file that the standard output was sent to is not replaced, nor what stood in it or is written later."""
    (tmp_path / "link").symlink_to("/dev/stdout")
    code = (
        "from pathlib import Path; from gensim_wordrank._utils.atomic_files import write_atomically;"
        "print('begin', end=' ');"
        f"write_atomically({name!r}, lambda name: Path(name).write_text('result ') and None); print('after')"
    )
    with (tmp_path / "out").open("w") as out:
        out.write("before ")
        out.flush()
        buffered = os.environ | {"PYTHONUNBUFFERED": ""}
        subprocess.run([sys.executable, "-c", code], stdout=out, cwd=tmp_path, check=True, timeout=60, env=buffered)
    assert (tmp_path / "out").read_text() == "before begin result after\n"


def test_what_is_not_open_or_only_to_be_read_is_told_beforehand(tmp_path):
    """Before anything is made that would go there."""
    with pytest.raises(OSError, match="Cannot write '/dev/fd/987': it is not open"):
        require_writable_file("/dev/fd/987")
    (tmp_path / "file").write_text("")
    with (tmp_path / "file").open() as file, pytest.raises(OSError, match="it is open for reading only"):
        require_writable_file(f"/dev/fd/{file.fileno()}")


def test_a_missing_module_is_no_damage():
    """As for texts that are compressed in a way that Python has not learnt here."""
    message = "'text.zst' cannot be read without the module 'missing_module'. Install it"
    with pytest.raises(OSError, match=message), describe_read_errors("text.zst"):
        importlib.import_module("missing_module")


def test_the_names_of_what_is_being_written_are_known(tmp_path):
    """Or what a killed run leaves would not be recognised."""
    with _sibling_directory(tmp_path / "model") as scratch:
        assert re.fullmatch(rf"\.model\.{TEMPORARY_SUFFIX}", Path(scratch).name)
