"""Temporary directories of killed processes are removed; those of others are not."""

import os
import signal
import subprocess
import sys

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
