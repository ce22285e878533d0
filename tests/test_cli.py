"""The command `wordrank`, run as a process."""

import fcntl
import gzip
import json
import os
import pickle
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import click
import numpy as np
import pytest
from click.shell_completion import get_completion_class
from click.testing import CliRunner
from gensim.models import KeyedVectors
from gensim.test.utils import datapath
from gensim_wordrank import Cooccurrence, Objective, WordRank
from gensim_wordrank.cli.main import main
from gensim_wordrank.evaluation import bundled_sets, evaluate, similarity
from gensim_wordrank.training.method import Method

pytestmark = pytest.mark.slow
LEE = datapath("lee_background.cor")
TRAIN = ["--vector-size", "20", "--epochs", "3", "--window", "5", "--seed", "7"]
USES = {"similar", "analogy", "evaluate", "export", "info", "plot", "stability", "explain"}
COMMAND = shutil.which("wordrank", path=str(Path(sys.executable).parent)) or "wordrank"


def wordrank(*arguments, cwd, trust=True, **options):
    """Run `wordrank`, which may load pickles, and return the finished process."""
    command = [COMMAND, *map(str, arguments), *(["--trust"] if trust and USES.intersection(arguments[:1]) else [])]
    return subprocess.run(command, capture_output=True, cwd=cwd, timeout=120, check=False, **options)


def test_prepare(tmp_path):
    """Files and standard input become one text, with one sentence per line or as text8, and a summary is printed."""
    (tmp_path / "raw.txt.gz").write_bytes(gzip.compress(b"The cat's 2 paws. Here it comes!"))
    done = wordrank("prepare", "raw.txt.gz", "-", "-o", "text.txt", cwd=tmp_path, input=b"It is here. Gone.")
    dropped, wrote = done.stdout.decode().splitlines()
    assert dropped == "Dropped 1 words: 1 in sentences of fewer than 3 or more than 500 words"
    assert re.fullmatch(r"Wrote 11 words in 3 lines to text\.txt \(0\.0 MB, \d+\.\d s\)", wrote)
    assert (tmp_path / "text.txt").read_text() == "the cat s 2 paws\nhere it comes\nit is here\n"
    done = wordrank("prepare", "--text8", "raw.txt.gz", "-o", "text8.txt", "-q", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (tmp_path / "text8.txt").read_text() == "the cat s two paws here it comes\n"
    done = wordrank("prepare", "--ascii", "-", "-o", "ascii.txt", cwd=tmp_path, input="Où est le café noir ?".encode())
    dropped = (
        "Dropped 2 words: 0 in sentences of fewer than 3 or more than 500 words, 2 with letters other than a to z\n"
    )
    assert done.stdout.decode().startswith(dropped)
    assert (tmp_path / "ascii.txt").read_text() == "est le noir\n"
    done = wordrank("prepare", "missing.txt", "-o", "other.txt", cwd=tmp_path)
    assert (done.returncode, len(done.stderr.decode().splitlines())) == (1, 1)
    assert not (tmp_path / "other.txt").exists()


def test_cooccur(tmp_path):
    """The output directory holds the same counts as Python computes, and a summary is printed."""
    done = wordrank("cooccur", LEE, "-o", "pairs", "--window", "5", "--memory", "1GB", "--workers", "2", cwd=tmp_path)
    assert done.returncode == 0
    expected = Cooccurrence.from_corpus(corpus_file=LEE, window=5)
    found = Cooccurrence.load(tmp_path / "pairs")
    assert found.data.tobytes() == expected.data.tobytes()
    assert f"Wrote {expected.nnz} pairs of {len(expected.words)} words to pairs" in done.stdout.decode()
    assert "words per second" in done.stderr.decode()


def test_cooccur_reads_standard_input(tmp_path):
    """With - the text is read from standard input; with -q nothing is printed."""
    done = wordrank("cooccur", "-", "-o", "pairs", "-q", "--min-count", "1", cwd=tmp_path, input=b"a b c\nb c\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert Cooccurrence.load(tmp_path / "pairs").words == ["c", "b", "a"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A small model trained by the command."""
    place = tmp_path_factory.mktemp("cli")
    done = wordrank("train", LEE, "-o", "lee.model", *TRAIN, cwd=place)
    assert done.returncode == 0, done.stderr
    assert "vectors to lee.model; loss" in done.stdout.decode()
    return place / "lee.model"


def test_train_gives_the_same_vectors_as_python(model):
    """The model loads with WordRank.load and has the vectors that Python computes with the same arguments."""
    expected = WordRank(corpus_file=LEE, vector_size=20, epochs=3, window=5, seed=7, workers=2)
    assert WordRank.load(model).wv.vectors.tobytes() == expected.wv.vectors.tobytes()


def test_train_reads_all_kinds_of_input(model, tmp_path):
    """Compressed text, standard input and co-occurrence counts give the same vectors; -q prints nothing."""
    text = Path(LEE).read_bytes()
    (tmp_path / "lee.txt.gz").write_bytes(gzip.compress(text))
    assert wordrank("cooccur", LEE, "-o", "pairs", "--window", "5", cwd=tmp_path).returncode == 0
    expected = WordRank.load(model).wv.vectors.tobytes()
    for source, options in (("lee.txt.gz", {}), ("-", {"input": text}), ("pairs", {})):
        done = wordrank("train", source, "-o", "other.model", *TRAIN, "-q", cwd=tmp_path, **options)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert WordRank.load(tmp_path / "other.model").wv.vectors.tobytes() == expected


def test_inputs_are_not_overwritten(model, tmp_path):
    """Commands refuse to replace a file that they read, also under another name of it."""
    (tmp_path / "text.txt").write_text("a b\nb a\n")
    (tmp_path / "link").symlink_to("text.txt")
    shutil.copy(model, tmp_path / "model")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    done = wordrank("train", "text.txt", "--checkpoint", "run", "-o", "run", cwd=tmp_path)
    assert b"Cannot write 'run': the training run is kept there. Give another name." in done.stderr
    for command in (
        "train text.txt -o link", "prepare text.txt -o text.txt", "export model -o model",
        "export model -o ./model --format glove",
    ):  # fmt: skip
        done = wordrank(*command.split(), cwd=tmp_path)
        assert done.returncode == 1
        assert b"it is also the input. Give another name." in done.stderr
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_closed_streams(model, tmp_path):
    """With closed standard streams, results are right, messages for stderr are not in them, and input is asked for."""
    shutil.copy(model, tmp_path / "model")

    def run(command):
        return subprocess.run(
            f"{COMMAND} {command}", shell=True, capture_output=True, cwd=tmp_path, timeout=120, check=False
        )  # fmt: skip

    assert run("export model -o vectors.txt <&- >&- 2>&-").returncode == 0
    assert len(KeyedVectors.load_word2vec_format(tmp_path / "vectors.txt")) == len(WordRank.load(model).wv)
    done = run("info missing 2>&-")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"standard input is closed" in run("similar model <&-").stderr
    assert b"The standard input, -, is closed." in run("train - -o other <&-").stderr
    done = run("export model -o /dev/stdout >&-")
    assert done.returncode == 1
    assert done.stderr.startswith(b"Error: Cannot write '/dev/stdout'")


def test_full_disk_is_one_line(model, tmp_path):
    """If a result does not fit, the error is one line that names it, and nothing is left."""
    shutil.copy(model, tmp_path / "model")
    for command in ("export model -o result", "export model -o result --format projector", f"cooccur {LEE} -o result"):
        limited = ["bash", "-c", f"ulimit -f 20; {COMMAND} {command} -q"]
        done = subprocess.run(limited, capture_output=True, cwd=tmp_path, timeout=120, check=False)
        assert done.returncode == 1
        assert re.fullmatch("Error: Cannot write 'result': .*\n", done.stderr.decode()), done.stderr
        assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_formats_of_models(tmp_path):
    """Models are safetensors files without counts unless options say otherwise; all commands read both formats."""
    kinds = {"safe": [], "full": ["--with-counts"], "pickle": ["--format", "gensim"]}
    for name, options in kinds.items():
        assert wordrank("train", LEE, "-o", name, *TRAIN, *options, "-q", cwd=tmp_path).returncode == 0
    assert (tmp_path / "pickle").read_bytes()[:1] == b"\x80"
    assert (tmp_path / "safe").read_bytes()[8:9] == b"{"
    models = {name: WordRank.load(tmp_path / name) for name in kinds}
    assert [name for name, each in models.items() if each.cooccurrence is None] == ["safe", "pickle"]
    assert len({each.wv.vectors.tobytes() for each in models.values()}) == 1
    for command in ("similar {} cricket", "analogy {} he his they", "info {}", "export {} -o vectors.txt"):
        for name in kinds:
            trust = ["--trust"] if name == "pickle" else []
            assert wordrank(*command.format(name).split(), "-q", *trust, cwd=tmp_path).returncode == 0


def test_similar_and_analogy(model, tmp_path):
    """Neighbours are shown as text, as JSON and interactively; analogies are answered by both methods."""
    near = WordRank.load(model).wv.most_similar("government", topn=3)
    shown = wordrank("similar", model, "government", "-n", "3", cwd=tmp_path).stdout.decode()
    assert [line.split()[1] for line in shown.splitlines()[1:]] == [word for word, _ in near]
    found = json.loads(wordrank("similar", model, "government", "-n", "3", "--json", cwd=tmp_path).stdout)
    assert [word for word, _ in found["government"]] == [word for word, _ in near]
    dialogue = wordrank("similar", model, "-n", "3", cwd=tmp_path, input=b"government\nqwertz\n\n").stdout.decode()
    assert near[0][0] in dialogue
    assert "'qwertz' is not in the vocabulary." in dialogue
    for method in ("add", "mul"):
        done = wordrank("analogy", model, "he", "his", "they", "--method", method, "-n", "4", cwd=tmp_path)
        assert done.returncode == 0
        assert len(done.stdout.decode().splitlines()) == 5


def test_confidence(model, tmp_path):
    """`stability` writes a file beside the model, from which `similar` and `plot` read what can be trusted."""
    shutil.copy(model, tmp_path / "lee.model")
    done = wordrank("similar", "lee.model", "government", "--confidence", cwd=tmp_path)
    assert "There is no file 'lee.model.stability'. Run: wordrank stability lee.model TEXT" in done.stderr.decode()
    done = wordrank("stability", "lee.model", LEE, "--resamples", "3", cwd=tmp_path)
    assert done.stdout.decode().startswith("Wrote 3 resamples of 1762 words to lee.model.stability (0.2 MB, ")
    shown = wordrank("similar", "lee.model", "government", "-n", "3", "--confidence", cwd=tmp_path).stdout.decode()
    expected = WordRank.load(model).stability(corpus_file=LEE, resamples=3).most_similar("government", 3)
    lines = [line.split() for line in shown.splitlines()[1:]]
    assert [(line[-1], line[-2]) for line in lines] == [(near.word, f"{near.share:.0%}") for near in expected]
    done = wordrank("similar", "lee.model", "government", "-n", "3", "--confidence", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)["government"]
    assert [near["low"] for near in found["neighbours"]] == pytest.approx([near.low for near in expected])
    done = wordrank("plot", "lee.model", "government", "-n", "5", "--confidence", "-o", "words.html", cwd=tmp_path)
    assert "of its neighbours in a resample" in (tmp_path / "words.html").read_text()


def test_reasons(model, tmp_path):
    """`explain` and `similar --why` name the contexts that words share, if the model holds its counts."""
    for command in (["explain", model, "Osama", "Laden"], ["similar", model, "Osama", "--why"]):
        assert "--with-counts" in wordrank(*command, cwd=tmp_path).stderr.decode()
    wordrank("train", LEE, "-o", "lee", "--with-counts", "-q", *TRAIN, cwd=tmp_path)
    expected = WordRank.load(tmp_path / "lee").explain("Osama", "Laden", 3, corpus_file=LEE)
    assert wordrank("explain", "lee", "Osama", "Laden", LEE, "-n", "3", cwd=tmp_path).stdout.decode() == f"{expected}\n"
    done = wordrank("similar", "lee", "Osama", "--why", "--confidence", cwd=tmp_path)
    assert "not both" in done.stderr.decode()
    assert "Give WORDS" in wordrank("similar", "lee", "--why", cwd=tmp_path).stderr.decode()
    found = json.loads(wordrank("explain", "lee", "Osama", "Laden", "-n", "3", "--json", cwd=tmp_path).stdout)
    assert [each["context"] for each in found["contexts"]] == [each.context for each in expected.contexts]
    shown = wordrank("similar", "lee", "Osama", "-n", "4", "--why", cwd=tmp_path).stdout.decode()
    assert len(shown.splitlines()) == 5
    done = wordrank("similar", "lee", "Osama", "-n", "4", "--why", "--json", cwd=tmp_path)
    assert [each["words"][0] for each in json.loads(done.stdout)["Osama"]] == ["Osama"] * 4


def test_change(tmp_path):
    """`change` prints words that were exchanged in the second text, with their neighbours, and draws them."""
    random, topics = np.random.default_rng(0), ("animal", "tool", "food", "star", "game", "city")
    groups = [[f"{topic}{i}" for i in range(10)] for topic in topics]
    lines = [" ".join(random.permutation(groups[random.integers(6)])[:7]) for _ in range(2400)]
    new = [line.replace("animal0", "X").replace("tool0", "animal0").replace("X", "tool0") for line in lines[1200:]]
    (tmp_path / "old.txt").write_text("\n".join(lines[:1200]))
    (tmp_path / "new.txt").write_text("\n".join(new))
    command = ["change", "old.txt", "new.txt", "-n", "2", "--vector-size", "6", "--window", "3", "--resamples", "10"]
    found = json.loads(wordrank(*command, "--json", cwd=tmp_path).stdout)
    assert {each["word"] for each in found} == {"animal0", "tool0"}
    (animal,) = [each for each in found if each["word"] == "animal0"]
    assert set(animal["left"]) <= set(groups[0])
    assert set(animal["joined"]) <= set(groups[1])
    done = wordrank(*command, "--word", "animal0", "-o", "map.png", cwd=tmp_path)
    assert done.stdout.decode().startswith(f"animal0  {animal['cosine']:.2f} (expected {animal['expected']:.2f}, q ")
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    assert "two different texts" in wordrank("change", "old.txt", "./old.txt", cwd=tmp_path).stderr.decode()


def test_evaluate(model, tmp_path):
    """Scores have intervals and shares of unknown words; a second model of any kind is compared with the first."""
    from gensim.models import Word2Vec

    other = Word2Vec(corpus_file=LEE, vector_size=20, epochs=1, workers=1)
    other.save(str(tmp_path / "word2vec.model"))
    other.wv.save_word2vec_format(str(tmp_path / "vectors.txt"))
    sets = tmp_path / "sets"
    sets.mkdir()
    (sets / "mine.tsv").write_text("government\tparliament\t9\ngovernment\tcricket\t1\npolice\tcourt\t6\n")
    done = wordrank("evaluate", model, "word2vec.model", "--sets", sets, "--unknown", "skip", "--json", cwd=tmp_path)
    rows = json.loads(done.stdout)
    assert [row["set"] for row in rows] == ["wordsim353", "simlex999", "questions-words", "mine"] * 2
    loaded = WordRank.load(model)
    expected = evaluate(loaded.wv, bundled_sets(), loaded.vectors("sum"), unknown="skip")
    for row, score in zip(rows, expected, strict=False):
        assert row["score"] == pytest.approx(score.value)
        assert row["low"] <= row["score"] <= row["high"]
    assert all(("p_value" in row) == (row["model"] == "word2vec.model") for row in rows)
    shown = wordrank("evaluate", "vectors.txt", "--sections", cwd=tmp_path).stdout.decode()
    assert "gram7-past-tense" in shown
    assert shown.startswith('"paper": an item with an unknown word scores 0. "gensim": it is left out.\n')
    rules = [evaluate(KeyedVectors.load_word2vec_format(tmp_path / "vectors.txt"), bundled_sets(), unknown=rule)
             for rule in ("zero", "skip")]  # fmt: skip
    row = re.search(r"^wordsim353 .*$", shown, re.MULTILINE)[0].split()
    assert [row[1], row[-1]] == [f"{100 * scores[0].value:.1f}" for scores in rules]


# gensim leaves the file open when it reads vectors without a header
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_export_formats(model, tmp_path):
    """Text, binary and GloVe files load as the same vectors; the projector's files have one line per word."""
    expected = WordRank.load(model).wv
    for layout, options in (
        ("word2vec", {}),
        ("word2vec-binary", {"binary": True}),
        ("glove", {"no_header": True}),
    ):
        assert wordrank("export", model, "-o", "out", "--format", layout, cwd=tmp_path).returncode == 0
        found = KeyedVectors.load_word2vec_format(str(tmp_path / "out"), **options)
        assert found.index_to_key == expected.index_to_key
        np.testing.assert_allclose(found.vectors, expected.vectors, rtol=1e-5)
    assert wordrank("export", model, "-o", "board", "--format", "projector", "--sum", cwd=tmp_path).returncode == 0
    assert (tmp_path / "board" / "metadata.tsv").read_text().split("\n")[:-1] == expected.index_to_key
    assert np.loadtxt(tmp_path / "board" / "vectors.tsv", delimiter="\t").shape == expected.vectors.shape


def test_export_quantized(model, tmp_path):
    """Quantized vectors are smaller, the loss is printed, and all commands for vectors read them."""
    wordrank("export", model, "-o", "whole.bin", "--format", "word2vec-binary", cwd=tmp_path)
    size, wv = (tmp_path / "whole.bin").stat().st_size, WordRank.load(model).wv
    for how, share in (("float16", 0.65), ("int8", 0.45), ("pq", 0.45)):  # with the words, and the centroids
        done = wordrank("export", model, "-o", "small", "--quantize", how, cwd=tmp_path)
        assert re.search(r"cosine (0.9|1.0)\d+ with the originals, .*% of the ten nearest words", done.stdout.decode())
        assert (tmp_path / "small").stat().st_size < share * size
        shown = wordrank("similar", "small", "government", "-n", "10", cwd=tmp_path).stdout.decode()
        near = {line.split()[1] for line in shown.splitlines()[1:]}
        assert len(near & {word for word, _ in wv.most_similar("government")}) >= 6
    assert wordrank("evaluate", "small", cwd=tmp_path).returncode == 0
    assert "holds only vectors" in wordrank("info", "small", cwd=tmp_path).stderr.decode()
    done = wordrank("export", model, "-o", "x", "--quantize", "int8", "--format", "glove", cwd=tmp_path)
    assert "Omit --format" in done.stderr.decode()


def test_info_and_plot(model, tmp_path):
    """`info` prints parameters as text and JSON; `plot` draws words and their neighbours."""
    values = json.loads(wordrank("info", model, "--json", cwd=tmp_path).stdout)
    assert (values["vector_size"], values["window"], values["epochs"], values["seed"]) == (20, 5, 3, 7)
    assert (values["rank_loss"], values["solver"], values["symmetric"]) == ("log", "sampled", True)
    assert values["file_mb"] == round(model.stat().st_size / 1e6, 1)
    assert "rank_loss          log" in wordrank("info", model, cwd=tmp_path).stdout.decode()
    for name, start in (("words.png", b"\x89PNG"), ("words.html", b"<!DOCTYPE html>")):
        done = wordrank("plot", model, "government", "cricket", "-n", "5", "-o", name, cwd=tmp_path)
        assert done.returncode == 0
        assert done.stdout.decode().startswith(f"Wrote 'Neighbours of government, cricket' to {name} (")
        assert (tmp_path / name).read_bytes().startswith(start)
    done = wordrank("plot", model, "-n", "20", "-o", "words.svg", cwd=tmp_path)
    assert done.stdout.startswith(b"Wrote '20 words' to words.svg (")


def test_plot_draws_training_and_rank_losses(model, tmp_path):
    """`plot` draws the losses of several models, and Figure 1 without a model; errors say what is missing."""
    shutil.copy(model, tmp_path / "copy.model")
    done = wordrank("plot", "--of", "training", model, "copy.model", "-o", "training.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "training.html").read_text(encoding="utf-8")
    assert page.count(json.dumps(WordRank.load(model).training_losses, separators=(",", ":"))) == 2
    assert wordrank("plot", "--of", "rank-losses", "-o", "figure1.svg", cwd=tmp_path).returncode == 0
    assert (tmp_path / "figure1.svg").read_bytes().startswith(b"<?xml")
    WordRank.load(model).wv.save(str(tmp_path / "vectors.kv"))
    for arguments, message in (
        (["-o", "x.png"], "Give a MODEL."),
        (["--of", "training", "vectors.kv", "-o", "x.png"], "Error: 'losses' must hold the losses of a model."),
        ([model, "-o", "x.gif"], "must be a name ending in .html, .png, .svg, .pdf. Got 'x.gif' instead."),
    ):
        done = wordrank("plot", *arguments, cwd=tmp_path)
        assert done.returncode
        assert message in done.stderr.decode()


def test_evaluate_writes_a_report(model, tmp_path):
    """The report covers both models, with the printed scores and the requested words."""
    WordRank.load(model).wv.save_word2vec_format(str(tmp_path / "vectors.txt"))
    options = ["--report", "page.md", "--word", "government", "--word", "cricket"]
    done = wordrank("evaluate", model, "vectors.txt", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    score = similarity(WordRank.load(model).wv, bundled_sets()[0]).value
    assert f"| {100 * score:.1f} |" in page
    for text in ("+0.0 vs. the first model", "| government |", "| cricket |", "## Training", "## Parameters"):
        assert text in page
    images = [line for line in page.splitlines() if line.startswith("![")]
    assert len(images) == len(list(tmp_path.glob("page.md.*.png"))) == 4  # bars, losses, two maps
    assert wordrank("evaluate", model, "--report", "page.html", "--json", cwd=tmp_path).returncode == 0
    assert "<h2>Neighbours</h2>" in (tmp_path / "page.html").read_text(encoding="utf-8")


def interrupt(line, *arguments, cwd):
    """Press Ctrl-C when the command prints `line`; return its exit code and its last line."""
    with subprocess.Popen([COMMAND, *arguments], cwd=cwd, stderr=subprocess.PIPE, text=True) as process:
        next(printed for printed in process.stderr if line in printed)
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=30)
    return process.returncode, rest.splitlines()[-1]


def test_interrupt(tmp_path):
    """Ctrl-C ends training within seconds with a message and leaves no partial model."""
    code, last = interrupt("EPOCH 1 ", "train", LEE, "-o", "lee.model", "--epochs", "100000", cwd=tmp_path)
    assert code == 130
    assert last == "Error: Interrupted. Nothing was written."
    assert list(tmp_path.iterdir()) == []


def test_resume_after_an_interrupt(model, tmp_path):
    """With checkpoints, Ctrl-C prints the command that resumes; it gives the vectors of an uninterrupted run."""
    slow = ["--epochs", "150", *TRAIN[:2], *TRAIN[4:]]
    assert wordrank("train", LEE, "-o", "whole.model", *slow, cwd=tmp_path).returncode == 0
    checkpoint = ["--checkpoint", "my run", "--checkpoint-every", "5"]
    code, last = interrupt("EPOCH 9 ", "train", LEE, "-o", "my model", *slow, *checkpoint, cwd=tmp_path)
    assert code == 130
    advice = "Error: Interrupted. To continue: wordrank "
    assert last == f"{advice}resume 'my run' -o 'my model'"
    done = wordrank(*shlex.split(last[len(advice) :]), "--workers", "1", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["epochs"] == 150
    whole, resumed = (WordRank.load(tmp_path / name) for name in ("whole.model", "my model"))
    assert resumed.wv.vectors.tobytes() == whole.wv.vectors.tobytes()
    again = wordrank("train", LEE, "-o", "other", "--checkpoint", "my run", cwd=tmp_path)
    assert again.returncode == 1
    assert "holds a training run" in again.stderr.decode().splitlines()[-1]


def test_errors_are_one_line(tmp_path):
    """Bad files and options end with exit code 1 and one line, without a traceback."""
    for arguments, message in (
        (["missing.txt"], "Error: 'missing.txt': there is no such file."),
        ([LEE, "--window", "0"], "Error: --window must be a positive integer. Got 0 instead."),
        ([LEE, "--memory", "huge"], "Error: --memory must be a number of bytes"),
        ([LEE, "--min-count", "100000"], "Lower --min-count"),
    ):
        done = wordrank("cooccur", *arguments, "-o", "pairs", "-q", cwd=tmp_path)
        assert done.returncode == 1
        assert message in done.stderr.decode()
        assert len(done.stderr.decode().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "damaged").write_bytes(b"\x80 not a model")
    (tmp_path / "cut").write_bytes(b"\x80\x04\x95")
    (tmp_path / "text.txt").write_text("a b c d\n" * 9)
    diverging = ["train", "text.txt", "-o", "model", "-q", "--rank-loss", "identity", "--rank-scale", "1e-30"]
    for arguments in (
        ["similar", "missing", "x"],
        ["similar", "damaged", "x"],
        ["info", "damaged"],
        ["similar", "cut", "x"],
        ["info", "cut"],
        diverging,
    ):
        done = wordrank(*arguments, cwd=tmp_path)
        assert done.returncode == 1
        assert done.stderr.decode().startswith("Error: ")
        assert len(done.stderr.decode().splitlines()) == 1


def test_outputs_are_checked_first(tmp_path):
    """If the output cannot be written, the command ends before it reads text or loads a model."""
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("")
    for arguments, message in (
        (["train", LEE, "-o", "nowhere/model"], "there is no directory 'nowhere'"),
        (["train", LEE, "-o", "taken"], "'taken': it is a directory"),
        (["resume", "run", "-o", "nowhere/model"], "there is no directory 'nowhere'"),
        (["cooccur", LEE, "-o", "taken"], "'taken' holds other files"),
        (["evaluate", "model", "--report", "nowhere/page.html"], "there is no directory 'nowhere'"),
        (["evaluate", "model", "--report", "page.txt"], "a name ending in .html, .md. Got 'page.txt'"),
        (["plot", "model", "-o", "nowhere/words.png"], "there is no directory 'nowhere'"),
        (["plot", "model", "-o", "words.gif"], "a name ending in .html, .png, .svg, .pdf. Got 'words.gif'"),
        (["export", "model", "-o", "nowhere/vectors.txt"], "there is no directory 'nowhere'"),
    ):
        done = wordrank(*arguments, "-v", cwd=tmp_path)
        assert done.returncode == 1
        assert message in done.stderr.decode()
        assert "sentences" not in done.stderr.decode()  # of the log


def test_pipes(model, tmp_path):
    """Vectors go to standard output, words come from standard input, and a model may be compressed."""
    (tmp_path / "out").symlink_to("/proc/self/fd/1")
    done = wordrank("export", model, "-o", "out", "-q", cwd=tmp_path)
    assert done.stdout.decode().split()[:2] == [str(len(WordRank.load(model).wv)), "20"]
    with (tmp_path / "vectors.txt").open("wb") as file:
        done = subprocess.run(
            [COMMAND, "export", model, "--trust", "-o", "/dev/stdout"], stdout=file, stderr=-1, check=True
        )
    assert len(KeyedVectors.load_word2vec_format(tmp_path / "vectors.txt")) == len(WordRank.load(model).wv)
    assert b"vectors to /dev/stdout" in done.stderr
    WordRank.load(model).save(tmp_path / "model.gz")
    done = wordrank("similar", "model.gz", "-n", "1", cwd=tmp_path, input=b"government\npolice\n")
    assert (done.returncode, done.stdout.decode().count("\n  0.")) == (0, 2)
    done = wordrank("evaluate", model, "--restrict-vocab", "0", cwd=tmp_path)
    assert (done.returncode, "0 is not in the range x>=1" in done.stderr.decode()) == (2, True)


def test_models_without_context_vectors(model, tmp_path):
    """Such models have neighbours and can be exported, but not with --sum."""
    WordRank.load(model).save(tmp_path / "slim", ignore=["context_vectors", "cooccurrence"])
    done = wordrank("similar", "slim", "government", "-n", "1", cwd=tmp_path)
    assert (done.returncode, done.stdout.decode().count("\n  0.")) == (0, 1)
    assert "has no context vectors" in done.stderr.decode()
    assert wordrank("export", "slim", "-o", "vectors.txt", cwd=tmp_path).returncode == 0
    for name in ("slim", "vectors.txt"):
        done = wordrank("export", name, "--sum", "-o", "sums.txt", cwd=tmp_path)
        assert done.returncode == 2
        assert f"'{name}' has no context vectors. Omit --sum." in done.stderr.decode()
        assert not (tmp_path / "sums.txt").exists()
    done = wordrank("train", "-", "-o", "model", "--workers", "-2", cwd=tmp_path, input=b"a b\n")
    message = "Error: --workers must be a positive integer. Got -2 instead. 0 and -1 stand for all cores.\n"
    assert done.stderr.decode() == message


def test_integer_keys(tmp_path):
    """Integer keys are found by their decimal form, and shown in figures and reports."""
    matrix = np.random.default_rng(1).random((12, 12))
    WordRank.from_cooccurrence(matrix + matrix.T, vector_size=4, epochs=2, weighted=False).save(tmp_path / "graph")
    for arguments in (
        ["similar", "graph", "3", "--json"],
        ["analogy", "graph", "1", "2", "3"],
        ["plot", "graph", "3", "-o", "map.html"],
        ["evaluate", "graph", "--report", "page.md", "--word", "3"],
        ["evaluate", "graph", "graph", "--report", "page.html"],
    ):
        done = wordrank(*arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert ", significant" not in done.stdout.decode()  # a model does not differ from itself
    assert "| 3 |" in (tmp_path / "page.md").read_text()
    assert wordrank("similar", "graph", "99", cwd=tmp_path).stderr == b"Error: '99' is not in the vocabulary.\n"


def test_zero_vectors_and_words_with_spaces(tmp_path):
    """Zero vectors are left out of maps; words that a format cannot hold are an error, and nothing is written."""
    (tmp_path / "pad.txt").write_text("<pad> 0 0 0\na 1 2 1\nb 1 1 3\nc 1 0 2\nd 2 1 0\n")
    assert wordrank("plot", "pad.txt", "-o", "map.html", cwd=tmp_path).returncode == 0
    assert "NaN" not in wordrank("similar", "pad.txt", "a", "--json", cwd=tmp_path).stdout.decode()
    (tmp_path / "xyz.txt").write_text("x 1 2 1\ny 1 1 3\n")
    assert wordrank("evaluate", "pad.txt", "xyz.txt", "--report", "page.html", cwd=tmp_path).returncode == 0
    words = [["new york", "is", "big"], ["new york", "was", "big"]]
    WordRank(words, vector_size=5, min_count=1, epochs=1).save(tmp_path / "spaces")
    done = wordrank("export", "spaces", "-o", "vectors.txt", cwd=tmp_path)
    assert "cannot hold the word 'new york'" in done.stderr.decode()
    assert not (tmp_path / "vectors.txt").exists()
    done = wordrank("export", "spaces", "-o", "projector", "--format", "projector", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"Wrote 4 vectors to projector (")


def test_useless_options_are_rejected(model, tmp_path):
    """Options that would have no effect are usage errors."""
    (tmp_path / "vectors.txt").write_text("a 1 2\nb 2 1\n")
    for arguments, message in (
        (["similar", model, "--json"], "Give WORDS with --json."),
        (["info", "vectors.txt"], "'vectors.txt' holds only vectors; `info` needs a saved model."),
        (["train", LEE, "-o", "model", "--checkpoint-every", "10min"], "--checkpoint-every needs --checkpoint."),
    ):
        done = wordrank(*arguments, cwd=tmp_path)
        assert (done.returncode, message in done.stderr.decode()) == (2, True)


def test_unknown_word(model, tmp_path):
    """An unknown word gives a one-line error that names it, its lower-case form and words of a similar spelling."""
    for arguments, word, similar in (
        (["similar", model, "qwertz"], "qwertz", ""),
        (["similar", model, "Cricket"], "Cricket", " Did you mean 'cricket'"),
        (["analogy", model, "he", "his", "goverment"], "goverment", " Did you mean 'government'"),
        (["plot", model, "goverment", "-o", "words.png"], "goverment", " Did you mean 'government'"),
        (["evaluate", model, "--word", "goverment"], "goverment", " Did you mean 'government'"),
    ):
        done = wordrank(*arguments, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.decode().startswith(f"Error: '{word}' is not in the vocabulary.{similar}")
        assert len(done.stderr.decode().splitlines()) == 1


def test_errors_speak_of_options_and_files(tmp_path):
    """Messages name options and arguments; a file that is called like a parameter keeps its name."""
    (tmp_path / "empty").write_text("")
    (tmp_path / "few").write_text("a b c\n")
    (tmp_path / "seed").mkdir()
    for arguments, message in (
        (["few", "--alpha", "100"], "--alpha is the learning rate; the paper's alpha is --rank-scale."),
        (["few", "--tolerance", "0.1"], "--tolerance must be omitted unless the rate is constant."),
        (["few"], "none occurs --min-count (5) times"),
        (["empty"], "The corpus holds no words."),
        (["seed"], "'seed' holds no co-occurrences"),
    ):
        done = wordrank("train", *arguments, "-o", "model", "-q", cwd=tmp_path)
        assert done.returncode == 1
        assert message in done.stderr.decode()
        assert not re.search(r"_|Errno|None|True|sentences", done.stderr.decode().replace("co-occ", ""))


def test_help_and_version(tmp_path):
    """--help lists the commands, each with a whole sentence; --version prints the version."""
    shown = wordrank("--help", cwd=tmp_path).stdout.decode()
    for name in (
        "prepare",
        "train",
        "resume",
        "cooccur",
        "similar",
        "analogy",
        "evaluate",
        "plot",
        "export",
        "info",
        "demo",
    ):
        assert f"  {name} " in shown
    assert "..." not in shown.replace("COMMAND [ARGS]...", "").replace("is to ...?", "")  # click shortens long help
    assert all(parameter.help for command in main.commands.values() for parameter in command.params
               if isinstance(parameter, click.Option))  # fmt: skip
    assert "version" in wordrank("--version", cwd=tmp_path).stdout.decode()


def test_all_parameters_are_options(tmp_path):
    """`train` has an option for each parameter of the objective and of the solver; they reach the model."""
    options = {parameter.name for parameter in main.commands["train"].params}
    of_python = {*Objective.__dataclass_fields__, *Method.__dataclass_fields__, "alpha", "min_alpha", "sharpness"}
    assert of_python | {"whiten", "init", "preset", "tolerance"} <= options
    given = "--solver stored --optimizer sgd --no-bias --uniform-negatives --xi-period 2 --x-max 7 --epsilon 0.5 --t 3"
    given += " --min-alpha 0.001 --alpha 0.002 --discount 0 --sharpness 1 --no-whiten --init random --rank-loss log_t"
    done = wordrank("train", LEE, "-o", "model", "--epochs", "1", "--vector-size", "4", *given.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    model = WordRank.load(tmp_path / "model")
    assert model.method == Method("stored", "sgd", False, True, 2)
    assert model.objective == Objective("log_t", t=3.0, x_max=7.0, epsilon=0.5, discount=0.0)
    assert (model.alpha, model.min_alpha, model.sharpness, model.whiten) == (0.002, 0.001, 1.0, False)


def test_bash_completion(tmp_path):
    """The script for bash calls the command, which completes the names of its subcommands."""
    script = wordrank(cwd=tmp_path, env=os.environ | {"_WORDRANK_COMPLETE": "bash_source"}).stdout.decode()
    assert "_WORDRANK_COMPLETE=bash_complete" in script
    asked = {"_WORDRANK_COMPLETE": "bash_complete", "COMP_WORDS": "wordrank e", "COMP_CWORD": "1"}
    done = wordrank(cwd=tmp_path, env=os.environ | asked)
    assert done.stdout.decode().splitlines() == ["plain,evaluate", "plain,explain", "plain,export"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("before", "typed", "completed"),
    [
        ([], "tr", [("plain", "train")]),
        (["train"], "--rank-lo", [("plain", "--rank-loss")]),
        (["train", "--rank-loss"], "lo", [("plain", "log"), ("plain", "log_t")]),
        (["train"], "te", [("file", "te")]),
    ],
)
def test_completion(shell, before, typed, completed):
    """Each documented shell completes commands, options, values and files."""
    complete = get_completion_class(shell)(main, {}, "wordrank", "_WORDRANK_COMPLETE")
    assert [(found.type, found.value) for found in complete.get_completions(before, typed)] == completed


class Payload:
    """A pickle of this writes a file when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize(
    "arguments",
    [
        ("similar", "glove.txt", "king"), ("analogy", "glove.txt", "a", "b", "c"), ("evaluate", "glove.txt"),
        ("plot", "glove.txt", "-o", "map.html"), ("plot", "--of", "training", "glove.txt", "-o", "loss.html"),
        ("export", "glove.txt", "-o", "vectors.txt"), ("info", "glove.txt"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("packed", [False, True])
def test_pickles_need_trust(tmp_path, arguments, packed):
    """A pickle, whatever its name is, is loaded only with --trust; the error says what that means."""
    (tmp_path / "glove.txt").write_bytes(pickle.dumps(Payload(tmp_path / "code was run")))
    if packed:
        packed_file = tmp_path / "glove.txt.gz"
        packed_file.write_bytes(gzip.compress((tmp_path / "glove.txt").read_bytes()))
        arguments = [argument.replace("glove.txt", "glove.txt.gz") for argument in arguments]
    done = CliRunner().invoke(main, [str(tmp_path / each) if "." in each else each for each in arguments])
    assert done.exit_code == 1
    assert "is a pickle: whoever made it can run any code here. If you trust where it comes from, give" in done.output
    assert not (tmp_path / "code was run").exists()


def test_what_is_no_model_is_named(tmp_path):
    """An empty file, a directory and a missing file are named, with what is wrong."""
    (tmp_path / "empty").touch()
    (tmp_path / "folder").mkdir()
    for name, message in (
        ("empty", "empty' is empty"), ("folder", "folder' must be a file"), ("none", "There is no file"),
    ):  # fmt: skip
        done = CliRunner().invoke(main, ["similar", str(tmp_path / name), "king"])
        assert done.exit_code == 1
        assert message in done.output


def in_terminal(*arguments, cwd):
    """Run `wordrank` in a terminal of 80 columns; return its lines, without those that others replaced."""
    terminal, end = os.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    child = subprocess.Popen([COMMAND, *arguments], stdin=end, stdout=end, stderr=end, cwd=cwd)
    os.close(end)
    shown = b""
    with suppress(OSError):  # Linux reports the end of a terminal as an error
        while block := os.read(terminal, 4096):
            shown += block
    os.close(terminal)
    assert child.wait(60) == 0, shown
    return [line.rstrip("\r").rpartition("\r")[2] for line in shown.decode().split("\n") if line.strip()]


def test_progress_in_a_terminal(tmp_path):
    """In a terminal, bars and the summary have lines of their own, which fit; in a pipe there is a log instead."""
    shown = in_terminal("train", LEE, "-o", "lee", *TRAIN, cwd=tmp_path)
    assert [line.split()[0] for line in shown] == ["reading:", "counting:", "epoch", "Wrote"]
    assert "100%" in shown[1]
    assert re.match(r"epoch 3/3: 100%.*pair/s, loss=", shown[2])
    assert max(map(len, shown)) <= 80
    done = wordrank("train", LEE, "-o", "lee", *TRAIN, cwd=tmp_path, stdin=subprocess.DEVNULL)
    assert "EPOCH 3 of 3: loss " in done.stderr.decode()
    assert "\r" not in done.stderr.decode()


def test_question_in_a_terminal(tmp_path, model):
    """In a terminal, the user is asked whether a pickle may be loaded, and nothing is loaded without a yes."""
    WordRank.load(model).save(tmp_path / "pickle")
    for answer, shows in ((b"n\n", b"is a pickle: whoever made it"), (b"y\n", b"government\r\n  0.")):
        terminal, end = os.openpty()
        command = [COMMAND, "similar", str(tmp_path / "pickle"), "government"]
        child = subprocess.Popen(command, stdin=end, stdout=end, stderr=end)
        os.close(end)
        shown = b""
        with suppress(OSError):  # Linux reports the end of a terminal as an error
            while block := os.read(terminal, 4096):
                shown += block
                if shown.endswith(b"trust where it comes from? [y/N]: "):
                    os.write(terminal, answer)
        os.close(terminal)
        assert child.wait(60) == (0 if answer == b"y\n" else 1)
        assert shows in shown.split(b"[y/N]")[1]
