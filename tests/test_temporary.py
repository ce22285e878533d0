"""Temporary directories of killed processes are removed; those of others are not."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from gensim_wordrank._utils.temporary import CONTENTS, OWNER, TemporaryDirectory


def test_directory_of_a_killed_process_is_removed(tmp_path):
    """The next temporary directory with the same prefix removes it, and leaves that of a process that lives."""
    code = (
        "import os, signal, sys; from gensim_wordrank._utils.temporary import TemporaryDirectory;"
        "place = TemporaryDirectory(sys.argv[1], '.x.'); (place.path / 'file').touch();"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path], check=False)
    assert done.returncode == -signal.SIGKILL
    (killed,) = tmp_path.iterdir()
    with TemporaryDirectory(tmp_path, ".other.") as other, TemporaryDirectory(tmp_path, ".x.") as one:
        assert {path.name for path in tmp_path.iterdir()} == {other.parent.name, one.parent.name}
        with TemporaryDirectory(tmp_path, ".x.") as two:
            assert one.is_dir()
            assert two.is_dir()
    assert not killed.exists()
    assert not list(tmp_path.iterdir())


def test_directories_of_others_are_kept(tmp_path):
    """Neither a name like ours nor a link to such a directory is enough to be removed."""
    ours = ".x.0123456789abcdef"
    (tmp_path / "elsewhere" / CONTENTS).mkdir(parents=True)
    (tmp_path / "elsewhere" / OWNER).touch()
    (tmp_path / f"{ours[:-1]}0").symlink_to(tmp_path / "elsewhere")
    for name in (ours, ".x.personal", ".x.0123456789abcdef0", ".x.0123456789ABCDEF"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
    before = sorted(tmp_path.rglob("*"))
    TemporaryDirectory(tmp_path, ".x.").close()
    assert sorted(tmp_path.rglob("*")) == before


def test_fork_does_not_remove_the_directory(tmp_path):
    """A fork that ends leaves the directory of its parent alone."""
    place = TemporaryDirectory(tmp_path, ".x.")
    process = os.fork()
    if not process:
        place.close()
        os._exit(0)
    os.waitpid(process, 0)
    assert place.path.is_dir()
    place.close()
    assert not list(tmp_path.iterdir())


@pytest.fixture
def _open_files_stay(monkeypatch):
    """Refuse to remove files that this process has open, as Windows does."""

    def unlink(path, *, dir_fd=None, original=os.unlink):
        descriptors = Path("/proc/self/fd")
        parent = Path() if dir_fd is None else descriptors / str(dir_fd)
        if (parent / path).resolve() in {entry.resolve() for entry in descriptors.iterdir()}:
            raise PermissionError(errno.EACCES, "in use", path)
        original(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", unlink)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="finds open files through /proc")
@pytest.mark.usefixtures("_open_files_stay")
def test_nothing_is_left_where_open_files_cannot_be_removed(tmp_path):
    """A directory is removed whole, although the file that it is locked by is open until then."""
    with TemporaryDirectory(tmp_path) as place:
        (place / "file").write_text("text")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="finds open files through /proc")
@pytest.mark.usefixtures("_open_files_stay")
def test_files_in_use_are_removed_by_the_next(tmp_path):
    """Files that cannot be removed, because they are in use, are removed when the next directory is made."""
    with TemporaryDirectory(tmp_path) as place, (place / "file").open("wb") as file:
        still_open = os.dup(file.fileno())
    assert (place / "file").exists()
    os.close(still_open)
    with TemporaryDirectory(tmp_path) as other:
        assert list(tmp_path.iterdir()) == [other.parent]
