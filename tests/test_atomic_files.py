"""Files and directories are written completely or not at all."""

import errno
import importlib
import io
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from gensim_wordrank._utils.atomic_files import (
    describe_read_errors,
    published,
    require_other_file,
    require_writable_directory,
    require_writable_file,
    write_atomically,
    write_directory_atomically,
)
from gensim_wordrank._utils.temporary import new_token


def write_model(name):
    """Write a file and a companion, which the file names."""
    array = Path(f"{name}.{new_token()}.npy")
    array.write_text("new array")
    Path(name).write_text(array.name)


def write_text(content, name="file"):
    """Return a function that writes a directory with a manifest and one file, which the manifest names."""

    def write(place):
        (place / f"{name}.txt").write_text(content)
        (place / "manifest").write_text(f'"{name}.txt"')

    return write


def read_text(place):
    """Return the content of the file that the manifest of a directory names."""
    return (place / (place / "manifest").read_text().strip('"')).read_text()


def test_all_files_are_moved(tmp_path):
    """All files that were written are moved to the target; no temporary file and no older companion is left."""
    for _ in range(2):
        write_atomically(tmp_path / "model", write_model)
        array = (tmp_path / "model").read_text()
        assert sorted(file.name for file in tmp_path.iterdir()) == ["model", array]
        assert (tmp_path / array).read_text() == "new array"


def test_failed_write_keeps_the_old_file(tmp_path):
    """If writing fails, the old file is unchanged and no temporary file is left."""
    (tmp_path / "model").write_text("old")

    def fail(name):
        Path(name).write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_atomically(tmp_path / "model", fail)
    assert (tmp_path / "model").read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_unwritable_paths(tmp_path):
    """A directory with the name of the file, or a missing directory, is an error before anything is written."""
    with pytest.raises(IsADirectoryError, match="it is a directory"):
        write_atomically(tmp_path, write_model)
    with pytest.raises(FileNotFoundError, match="no directory .*Create it first"):
        write_atomically(tmp_path / "missing" / "model", write_model)


def test_directory_without_permission(tmp_path, monkeypatch):
    """The error names the directory; mkdir is replaced because root may write anywhere."""

    def deny(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", deny)
    with pytest.raises(PermissionError, match=f"Cannot write into '{tmp_path}': Permission denied"):
        write_atomically(tmp_path / "model", write_model)


def test_symbolic_link_to_a_file(tmp_path):
    """The link is kept and its target is replaced or created, in any directory; companions go beside the target."""
    (tmp_path / "elsewhere").mkdir()
    for name in ("old", "elsewhere/old", "elsewhere/new"):
        if name.endswith("old"):
            (tmp_path / name).write_text("old")
        link = tmp_path / f"link-{name.replace('/', '-')}"
        link.symlink_to(tmp_path / name)
        write_atomically(link, write_model)
        assert link.is_symlink()
        target = tmp_path / name
        assert target.with_name(target.read_text()).read_text() == "new array"


def test_replaced_file_keeps_its_mode(tmp_path):
    """A file that only its owner could read is still private after it is replaced."""
    (tmp_path / "model").write_text("old")
    (tmp_path / "model").chmod(0o600)
    write_atomically(tmp_path / "model", write_model)
    assert (tmp_path / "model").stat().st_mode & 0o777 == 0o600


def test_named_pipe(tmp_path):
    """A single file is copied into a pipe; several files are an error."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(pipe.read_text)
        write_atomically(pipe, lambda name: Path(name).write_text("through the pipe") and None)
        assert reader.result(timeout=10) == "through the pipe"
    with pytest.raises(OSError, match="2 files to be written"):
        write_atomically(pipe, write_model)
    assert pipe.is_fifo()


def test_require_writable_directory(tmp_path):
    """An empty directory and one with the same files pass; a file in its place and other files are errors."""
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="there is a file of that name"):
        require_writable_directory(tmp_path / "file", ["about"])
    for names in (["about"], ["about", "file"]):
        with pytest.raises(FileExistsError, match="holds other files"):
            require_writable_directory(tmp_path, names)
    require_writable_directory(tmp_path, ["file"])
    require_writable_directory(tmp_path / "new", ["about"])


def test_symbolic_link_to_a_directory(tmp_path):
    """The link is kept and its target is replaced, or created if it is missing."""
    link, real = tmp_path / "link", tmp_path / "elsewhere" / "real"
    real.parent.mkdir()
    link.symlink_to(real)
    for content in ("one", "two"):
        write_directory_atomically(link, write_text(content), "manifest")
        assert link.is_symlink()
        assert read_text(real) == content
        assert len(list(real.iterdir())) == 2
    assert [path.name for path in real.parent.iterdir()] == ["real"]


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_interrupt_between_renames(tmp_path, monkeypatch, kind):
    """If the renames are interrupted before the last, the old result is there alone, and is not said to be new."""
    target, replace = tmp_path / "target", Path.replace

    def interrupted(self, new):
        if self.name in ("target", "manifest"):
            raise KeyboardInterrupt
        return replace(self, new)

    def write():
        if kind == "file":
            write_atomically(target, write_model)
        else:
            write_directory_atomically(target, write_text("new"), "manifest")

    write()
    before = {path: path.is_file() and path.read_text() for path in tmp_path.rglob("*")}
    assert any(name.startswith(str(target)) for name in published())
    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write()
    assert {path: path.is_file() and path.read_text() for path in tmp_path.rglob("*")} == before
    if kind == "file":
        assert str(target) not in published()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
def test_open_file_is_written_at_its_position(tmp_path, name):
    """A file that standard output is redirected to keeps what was written before, and output continues after it."""
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


def test_file_descriptor_that_cannot_be_written(tmp_path):
    """A closed file descriptor and one that is open for reading are errors before anything is written."""
    with pytest.raises(OSError, match="Cannot write '/dev/fd/987': it is not open"):
        require_writable_file("/dev/fd/987")
    (tmp_path / "file").write_text("")
    with (tmp_path / "file").open() as file, pytest.raises(OSError, match="it is open for reading only"):
        require_writable_file(f"/dev/fd/{file.fileno()}")


def test_missing_compression_module():
    """A text whose compression needs a missing module is not reported as damaged."""
    message = "'text.zst' cannot be read without the module 'missing_module'. Install it"
    with pytest.raises(OSError, match=message), describe_read_errors("text.zst"):
        importlib.import_module("missing_module")


def test_input_is_not_the_output(tmp_path):
    """A result does not replace its input, which may be a link, an open file or a directory that would hold it."""
    text, link, folder = tmp_path / "text.txt", tmp_path / "link", tmp_path / "folder"
    text.write_text("")
    link.symlink_to("text.txt")
    folder.mkdir()
    with text.open("rb") as opened:
        for output, source in ((text, text), (link, text), (text, link), (text, opened), (link, opened)):
            with pytest.raises(ValueError, match="it is also the input. Give another name"):
                require_other_file(output, ["-", "s3://bucket/x", io.BytesIO(), source])
        for output in (folder / "new", folder / ".." / "folder" / "new"):
            with pytest.raises(ValueError, match="new': it lies in the directory of the input"):
                require_other_file(output, [folder])
        require_other_file(tmp_path / "folder2", [folder, text, opened])
        require_other_file("/dev/stdout", [folder, text, opened])
