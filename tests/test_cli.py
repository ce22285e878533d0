"""The command line, run as a process."""

import shutil
import subprocess
import sys
from pathlib import Path

from gensim.test.utils import datapath
from gensim_wordrank import Cooccurrence

LEE = datapath("lee_background.cor")
COMMAND = shutil.which("wordrank", path=str(Path(sys.executable).parent)) or "wordrank"


def wordrank(*arguments, cwd, **options):
    """Run the command."""
    command = [COMMAND, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, cwd=cwd, timeout=120, check=False, **options)


def test_cooccur_counts_a_file(tmp_path):
    """A directory is written that loads as what Python counts, and the command says what is in it."""
    done = wordrank("cooccur", LEE, "-o", "pairs", "--window", "5", "--memory", "1GB", "--workers", "2", cwd=tmp_path)
    assert done.returncode == 0
    expected = Cooccurrence.from_corpus(corpus_file=LEE, window=5)
    found = Cooccurrence.load(tmp_path / "pairs")
    assert found.data.tobytes() == expected.data.tobytes()
    assert f"{expected.nnz} pairs of {len(expected.words)} words in pairs" in done.stdout.decode()
    assert "words a second" in done.stderr.decode()


def test_cooccur_reads_the_standard_input_quietly(tmp_path):
    """- is the standard input; -q shows nothing."""
    done = wordrank("cooccur", "-", "-o", "pairs", "-q", "--min-count", "1", cwd=tmp_path, input=b"a b c\nb c\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert Cooccurrence.load(tmp_path / "pairs").words == ["c", "b", "a"]


def test_errors_are_one_line(tmp_path):
    """A missing file, a bad number and a bad size end with status 1 and one line, without a traceback."""
    for arguments, message in (
        (["missing.txt"], "missing.txt"),
        ([LEE, "--window", "0"], "'window' must be a positive integer"),
        ([LEE, "--memory", "huge"], "'memory' must be a number of bytes"),
        ([LEE, "--min-count", "100000"], "Lower 'min_count'"),
    ):
        done = wordrank("cooccur", *arguments, "-o", "pairs", "-q", cwd=tmp_path)
        assert done.returncode == 1
        assert message in done.stderr.decode()
        assert len(done.stderr.decode().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_help_names_the_commands(tmp_path):
    """--help lists what there is, --version tells the version."""
    assert "cooccur" in wordrank("--help", cwd=tmp_path).stdout.decode()
    assert "version" in wordrank("--version", cwd=tmp_path).stdout.decode()
