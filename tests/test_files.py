"""Whole files or none."""

import errno
import tempfile
from pathlib import Path

import pytest
from gensim_wordrank.files import replace_whole


def write_two(name):
    """Write a file and a companion."""
    Path(name).write_text("new")
    Path(name + ".npy").write_text("new array")


def test_all_files_arrive(tmp_path):
    """A file and its companions are moved into place, and nothing else is left."""
    replace_whole(tmp_path / "model", write_two)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model", "model.npy"]
    assert (tmp_path / "model.npy").read_text() == "new array"


def test_a_failure_leaves_the_old_file(tmp_path):
    """What was there survives an error in the middle of writing, and no rubbish stays."""
    (tmp_path / "model").write_text("old")

    def fail(name):
        Path(name).write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        replace_whole(tmp_path / "model", fail)
    assert (tmp_path / "model").read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_places_that_cannot_be_written_are_named(tmp_path):
    """A directory in the way, or a missing one, is said before anything is written."""
    with pytest.raises(IsADirectoryError, match="it is a directory"):
        replace_whole(tmp_path, write_two)
    with pytest.raises(FileNotFoundError, match="no directory .*Make it first"):
        replace_whole(tmp_path / "missing" / "model", write_two)


def test_a_directory_without_permission_is_named(tmp_path, monkeypatch):
    """An unwritable directory is said by name, whoever runs this: the superuser could write anywhere."""

    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    with pytest.raises(PermissionError, match=f"Cannot write into '{tmp_path}': Permission denied"):
        replace_whole(tmp_path / "model", write_two)
