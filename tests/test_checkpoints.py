"""Checkpoints: runs that were interrupted can be resumed, to the same bytes."""

import json
import logging
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim_wordrank import Checkpoints, WordRank, persistence, weights
from gensim_wordrank._utils import atomic_files, checksummed
from gensim_wordrank._utils.temporary import CONTENTS, OWNER
from gensim_wordrank.training import checkpoints, run_directory

import hostile

SETTINGS = {"vector_size": 12, "min_count": 1, "epochs": 7, "min_alpha": 0.01, "seed": 5, "workers": 2}


class StopAfter:
    """A callback that ends training after some epochs, by returning True or by raising an error."""

    def __init__(self, epochs, error=None):
        self.epochs, self.error = epochs, error

    def __getattr__(self, name):
        def callback(model):
            if name == "on_epoch_end" and model.epochs_done == self.epochs:
                if self.error is not None:
                    raise self.error
                return True
            return None

        return callback


def same(one, other):
    """Return True if two models have the same state and loss, byte for byte."""
    pairs = zip(vars(weights.state_of(one)).values(), vars(weights.state_of(other)).values(), strict=True)
    return one.running_training_loss == other.running_training_loss and all(np.array_equal(a, b) for a, b in pairs)


def names(place):
    """Return the names of the checkpoints in a directory."""
    return sorted(path.name for path in place.glob("epoch-*"))


@pytest.fixture(scope="module")
def uninterrupted(two_worlds):
    """Return a model that was trained without interruption."""
    return WordRank(two_worlds, **SETTINGS)


@pytest.fixture
def interrupted_run(two_worlds, tmp_path):
    """Return the directory of a run that was interrupted after four epochs."""
    place = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        WordRank(two_worlds, **SETTINGS, checkpoint=place, callbacks=[StopAfter(4, KeyboardInterrupt())])
    return place


class Unread:
    """Sentences that must not be read."""

    def __iter__(self):
        raise AssertionError("the text was read")


@pytest.mark.parametrize("name", ["cooccurrence", "epoch-000002"])
def test_foreign_directories_are_not_replaced(uninterrupted, tmp_path, name):
    """Directories that have the names of a run's, but belong to none, are refused before the text is read."""
    uninterrupted.cooccurrence.save(tmp_path / name)
    before = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*"))
    with pytest.raises(
        FileExistsError, match=f"{name}' does not belong to a training run and would be replaced. Give 'check"
    ):
        WordRank(Unread(), **SETTINGS, checkpoint=tmp_path)
    assert sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*")) == before


def test_run_that_was_interrupted_at_its_start_can_be_restarted(two_worlds, uninterrupted, tmp_path, monkeypatch):
    """The counts that it left are replaced; counts whose run was deleted are not."""
    write = checksummed.write

    def interrupted(place, kind, contents):
        if kind is run_directory.RUN:
            raise KeyboardInterrupt
        write(place, kind, contents)

    with monkeypatch.context() as patched:
        patched.setattr(checksummed, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            WordRank(two_worlds[:300], **SETTINGS, checkpoint=tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["cooccurrence"]
    assert same(WordRank(two_worlds, **SETTINGS, checkpoint=tmp_path), uninterrupted)
    shutil.rmtree(tmp_path / "run")  # as a user might do to keep only the counts
    with pytest.raises(FileExistsError, match="cooccurrence' does not belong to a training run"):
        WordRank(Unread(), **SETTINGS, checkpoint=tmp_path)


def test_relative_directory_is_resolved_at_the_start(two_worlds, uninterrupted, tmp_path, monkeypatch):
    """Checkpoints go there even if the working directory changes or the directory is deleted while text is read."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)

    class Moving:
        def __iter__(self):
            shutil.rmtree(tmp_path / "run", ignore_errors=True)
            monkeypatch.chdir(tmp_path / "elsewhere")
            return iter(two_worlds)

    assert same(WordRank(Moving(), **SETTINGS, checkpoint="run"), uninterrupted)
    assert same(WordRank.resume(tmp_path / "run"), uninterrupted)
    assert not list((tmp_path / "elsewhere").iterdir())


def test_no_directory_is_created_without_training(two_worlds, tmp_path, caplog):
    """No directory is created if parameters are invalid or if there is no text."""
    with pytest.raises(ValueError, match="'vector_size'"):
        WordRank(two_worlds, vector_size=-1, checkpoint=tmp_path / "new")
    with caplog.at_level(logging.WARNING):
        WordRank(checkpoint=tmp_path / "new")
    assert "'checkpoint' is ignored without a text" in caplog.text
    assert not list(tmp_path.iterdir())


def test_word_attributes_are_saved(two_worlds, tmp_path, caplog):
    """Attributes that are numbers or strings are saved under any name; others are skipped with a warning."""
    model = WordRank(**SETTINGS)
    model.build_vocab(two_worlds)
    given = {"part/of": "noun", "weight": 2.5, "seen": True, "object": object()}
    for name, value in given.items():
        model.wv.set_vecattr("sea1", name, value)
    with caplog.at_level(logging.WARNING):
        model.train(two_worlds, total_examples=600, epochs=2, checkpoint=tmp_path)
    assert "the word attribute 'object' is not saved" in caplog.text
    resumed = WordRank.resume(tmp_path).wv
    assert sorted(resumed.expandos) == sorted(set(model.wv.expandos) - {"object"})
    for name in ("part/of", "weight", "seen", "count"):
        assert resumed.get_vecattr("sea1", name) == model.wv.get_vecattr("sea1", name)
        assert resumed.expandos[name].dtype == model.wv.expandos[name].dtype


def test_run_of_another_process_is_not_replaced(two_worlds, uninterrupted, tmp_path):
    """A run that another process started and finished while this one read its text stays."""

    class Slow:
        def __iter__(self):
            if not (tmp_path / "run").exists():
                WordRank(two_worlds, **SETTINGS, checkpoint=tmp_path)
            return iter(two_worlds[:300])

    with pytest.raises(FileExistsError, match="holds a training run"):
        WordRank(Slow(), **SETTINGS | {"seed": 9}, checkpoint=tmp_path)
    assert same(WordRank.resume(tmp_path), uninterrupted)


def test_unusable_directory_is_refused_before_the_text_is_read(tmp_path, monkeypatch):
    """A path that is a file, and a directory that another process has locked, are refused."""
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="there is a file of that name"):
        WordRank(Unread(), checkpoint=tmp_path / "file")
    monkeypatch.setattr(run_directory, "LOCK_TIMEOUT", 0.1)
    with run_directory.locked(tmp_path), pytest.raises(RuntimeError, match="Another process is training in"):
        WordRank(Unread(), checkpoint=tmp_path)


@pytest.mark.parametrize("workers", [None, 1, 3])
@pytest.mark.parametrize("epochs", [1, 4, 7])
def test_resumed_run_gives_the_same_bytes(two_worlds, uninterrupted, tmp_path, epochs, workers):
    """After any epoch and with any number of workers, a resumed run gives the model of an uninterrupted one."""
    callbacks = [StopAfter(epochs)]
    WordRank(two_worlds, **SETTINGS, checkpoint=tmp_path / "run", callbacks=callbacks)
    model = WordRank.resume(tmp_path / "run", workers=workers)
    assert same(model, uninterrupted)
    assert model.wv.index_to_key == uninterrupted.wv.index_to_key
    assert model.wv.get_vecattr("sea0", "count") == uninterrupted.wv.get_vecattr("sea0", "count")
    assert model.workers == (workers or SETTINGS["workers"])
    differ = {"workers", "total_train_time", "lifecycle_events"}
    for name, value in vars(uninterrupted).items():
        if isinstance(value, (int, float, str, list)) and name not in differ:
            assert getattr(model, name) == value, name


@pytest.mark.parametrize("options", [{"solver": "triplet"}, {"pair_loss": "logistic", "rank_loss": "log_t", "t": 2.0}])
def test_parameters_are_saved(two_worlds, tmp_path, options):
    """A resumed run has the solver and the objective of the original one."""
    whole = WordRank(two_worlds, **SETTINGS, **options)
    WordRank(two_worlds, **SETTINGS, **options, checkpoint=tmp_path / "run", callbacks=[StopAfter(3)])
    model = WordRank.resume(tmp_path / "run")
    assert (model.solver, model.objective) == (whole.solver, whole.objective)
    assert same(model, whole)


def test_locks_and_earlier_training_are_saved(two_worlds, tmp_path):
    """A run that continued training a model with locked vectors is resumed to the same bytes."""

    def trained(**options):
        model = WordRank(two_worlds[:300], **SETTINGS)
        model.wv.vectors_lockf = np.linspace(0, 1, len(model.wv), dtype=np.float32)
        model.train(two_worlds[300:], total_examples=300, epochs=4, start_alpha=0.05, **options)
        return model

    whole = trained()
    trained(checkpoint=tmp_path / "run", callbacks=[StopAfter(9)])
    model = WordRank.resume(tmp_path / "run")
    assert same(model, whole)
    assert model.epochs_done == 11
    again = [each.train(two_worlds[:300], total_examples=300, epochs=2) for each in (model, whole)]
    assert again[0] == again[1]
    assert same(model, whole)


def test_from_cooccurrence_writes_checkpoints(tmp_path):
    """A run on existing counts, with integers as words, can be resumed."""
    ring = np.eye(30, k=1) + np.eye(30, k=-1)
    settings = {"vector_size": 4, "epochs": 5, "weighted": False}
    whole = WordRank.from_cooccurrence(ring, **settings)
    WordRank.from_cooccurrence(ring, **settings, checkpoint=tmp_path / "run", callbacks=[StopAfter(2)])
    model = WordRank.resume(tmp_path / "run")
    assert same(model, whole)
    assert model.wv.index_to_key == whole.wv.index_to_key


@pytest.mark.parametrize("keep", [1, 3, 4, 5, 6])
def test_keep_is_exact(two_worlds, tmp_path, keep):
    """As many checkpoints as asked for are kept: the latest."""
    WordRank(two_worlds, **SETTINGS, checkpoint=Checkpoints(tmp_path, keep=keep))
    assert names(tmp_path) == [f"epoch-{epoch:06}" for epoch in range(8 - keep, 8)]


def test_every_and_keep_select_checkpoints(two_worlds, tmp_path):
    """A checkpoint is written after every n epochs or seconds and at the end, and the last k are kept."""
    WordRank(two_worlds, **SETTINGS, checkpoint=Checkpoints(tmp_path / "run", every=3, keep=2))
    assert names(tmp_path / "run") == ["epoch-000006", "epoch-000007"]
    WordRank(two_worlds, **SETTINGS, checkpoint=Checkpoints(tmp_path / "all", keep=99))
    assert len(names(tmp_path / "all")) == 7
    WordRank(two_worlds, **SETTINGS, checkpoint=Checkpoints(tmp_path / "hours", every="2h"))
    assert names(tmp_path / "hours") == ["epoch-000007"]
    WordRank(two_worlds, **SETTINGS, checkpoint=Checkpoints(tmp_path / "always", every="0.0001s", keep=99))
    assert len(names(tmp_path / "always")) == 7


def test_checkpoint_is_written_after_an_error(two_worlds, tmp_path):
    """If a callback raises an error, the last epoch is saved even if no checkpoint was due."""
    with pytest.raises(OSError, match="mine"):
        WordRank(
            two_worlds, **SETTINGS, checkpoint=Checkpoints(tmp_path / "run", every="2h"),
            callbacks=[StopAfter(4, OSError("mine"))],
        )  # fmt: skip
    assert names(tmp_path / "run") == ["epoch-000004"]


@pytest.mark.parametrize("damage", ["flip", "cut", "missing", "all"])
def test_damaged_checkpoint_is_skipped(interrupted_run, uninterrupted, caplog, damage):
    """Damage to any file is logged, and the run resumes from the checkpoint before, or from its start."""
    random = np.random.default_rng(3)
    for path in sorted((interrupted_run / "epoch-000004").iterdir()):
        place = interrupted_run.parent / "copy"
        shutil.copytree(interrupted_run, place)
        damage_file(place / "epoch-000004" / path.name, "flip" if damage == "all" else damage, random)
        if damage == "all":
            (place / "epoch-000003" / "words.npy").unlink()
        caplog.clear()
        model = WordRank.resume(place)
        assert same(model, uninterrupted)
        named = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
        assert ["epoch-000004" in named[0], *("epoch-000003" in name for name in named[1:])] == [True] * len(named)
        assert len(named) == (2 if damage == "all" else 1)
        shutil.rmtree(place)


def damage_file(path, how, random):
    """Change a byte of a file, truncate it or delete it."""
    if how == "missing":
        path.unlink()
        return
    content = bytearray(path.read_bytes())
    at = int(random.integers(len(content)))
    while path.name == "manifest.json" and chr(content[at]).isspace():  # a change of white space would be no damage
        at = int(random.integers(len(content)))
    content[at] ^= 0x10
    path.write_bytes(content[:at] if how == "cut" else content)


@pytest.mark.parametrize("part", ["run", "cooccurrence"])
@pytest.mark.parametrize("damage", ["flip", "cut", "missing"])
def test_run_with_damaged_start_or_counts_is_refused(interrupted_run, part, damage):
    """Damage to the initial state or to the counts, which have no copy, raises an error."""
    random = np.random.default_rng(4)
    for path in sorted((interrupted_run / part).iterdir()):
        place = interrupted_run.parent / "copy"
        shutil.copytree(interrupted_run, place)
        damage_file(place / part / path.name, damage, random)
        with pytest.raises((ValueError, FileNotFoundError), match=part):
            WordRank.resume(place)
        shutil.rmtree(place)


def test_files_of_another_run_are_not_used(two_worlds, uninterrupted, interrupted_run, tmp_path, caplog):
    """An undamaged checkpoint of another run is skipped, and counts of another run are refused."""
    WordRank(two_worlds, **{**SETTINGS, "seed": 6}, checkpoint=tmp_path / "other")
    shutil.copytree(tmp_path / "other" / "epoch-000007", interrupted_run / "epoch-000007")
    assert same(WordRank.resume(interrupted_run), uninterrupted)
    assert "epoch-000007' belongs to another run" in caplog.text
    shutil.rmtree(interrupted_run / "cooccurrence")
    WordRank(two_worlds[:9], **SETTINGS, checkpoint=tmp_path / "third")
    shutil.copytree(tmp_path / "third" / "cooccurrence", interrupted_run / "cooccurrence")
    with pytest.raises(ValueError, match="cooccurrence' belongs to another run"):
        WordRank.resume(interrupted_run)


def test_directory_with_a_run_is_refused_before_the_text_is_read(interrupted_run):
    """A new run does not overwrite an older one."""
    with pytest.raises(FileExistsError, match=r"holds a training run.*resume.*'checkpoint' another"):
        WordRank(Unread(), checkpoint=interrupted_run)


@pytest.mark.slow
def test_run_is_locked_by_its_process(interrupted_run):
    """A run that one process has open cannot be resumed by another until it is closed."""
    with checkpoints.Run.open(interrupted_run), pytest.raises(RuntimeError, match="Another process is training in"):
        WordRank.resume(interrupted_run)
    assert WordRank.resume(interrupted_run).epochs_done == SETTINGS["epochs"]


def test_unfinished_checkpoint_is_removed(interrupted_run, uninterrupted):
    """A checkpoint that was being written when the run was killed is removed when the run is resumed."""
    shutil.copytree(interrupted_run / "epoch-000004", interrupted_run / ".epoch-000005.0123456789abcdef" / CONTENTS)
    (interrupted_run / ".epoch-000005.0123456789abcdef" / OWNER).touch()
    assert same(WordRank.resume(interrupted_run), uninterrupted)
    left = {path.name for path in interrupted_run.iterdir()}
    assert left == {".gensim-wordrank.lock", "cooccurrence", "run", "epoch-000006", "epoch-000007"}


def test_full_disk_does_not_end_training(two_worlds, uninterrupted, tmp_path, monkeypatch, caplog):
    """If a checkpoint cannot be written, training continues, a warning is logged, and older checkpoints stay."""
    write, full = checksummed.write, iter([False, False, False, True, True, True, True, True])

    def fail(directory, kind, contents):
        if kind is run_directory.EPOCH and next(full):
            (directory / "words.npy").write_bytes(b"half")
            raise OSError(28, "No space left on device")
        write(directory, kind, contents)

    monkeypatch.setattr(checksummed, "write", fail)
    assert same(WordRank(two_worlds, **SETTINGS, checkpoint=tmp_path / "run"), uninterrupted)
    assert "no checkpoint after epoch 7: [Errno 28] Cannot write '" in caplog.text
    assert "epoch-000007': No space left on device. Training continues." in caplog.text
    assert names(tmp_path / "run") == ["epoch-000002", "epoch-000003"]
    monkeypatch.undo()
    assert same(WordRank.resume(tmp_path / "run"), uninterrupted)


def test_different_environment_is_logged(interrupted_run, uninterrupted, monkeypatch, caplog):
    """Resuming with another CPU level or version, whose kernels may round differently, logs a warning."""
    versions = checkpoints.versions() | {"CPU level": "x86-64-v9"}
    monkeypatch.setattr(checkpoints, "versions", lambda: versions)
    with caplog.at_level(logging.WARNING):
        assert same(WordRank.resume(interrupted_run), uninterrupted)
    assert "x86-64-v9" in caplog.text


def test_resume_needs_a_run(tmp_path):
    """Directories that are empty or missing are refused, and not changed."""
    (tmp_path / "empty").mkdir()
    for place in (tmp_path / "empty", tmp_path / "none"):
        with pytest.raises(FileNotFoundError, match=r"holds no training run.*Start over"):
            WordRank.resume(place)
    assert not list((tmp_path / "empty").iterdir())
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "options", [{"every": 0}, {"every": 1.5}, {"every": "soon"}, {"every": "0s"}, {"every": "3"}, {"keep": 0}]
)
def test_options_are_validated(options):
    """The error names the invalid parameter."""
    with pytest.raises(ValueError, match=f"'{next(iter(options))}' must be"):
        Checkpoints("place", **options)


def test_no_pickle_is_written_or_read(interrupted_run):
    """All files are JSON or .npy with numbers; an array of objects is refused."""
    for path in interrupted_run.rglob("*"):
        assert path.is_dir() or path.suffix in (".json", ".npy") or path.name == ".gensim-wordrank.lock"
        if path.suffix == ".npy":
            assert np.load(path, allow_pickle=False).dtype.kind in "iuf"
    with pytest.raises(ValueError, match="Object arrays"):
        checksummed.write(Path(interrupted_run), run_directory.EPOCH, {"bad": np.array([{}])})


def test_foreign_files_are_kept(two_worlds, uninterrupted, tmp_path):
    """Other files in the directory are not removed, whatever their names; old checkpoints are."""
    others = [".emacs.d/init.el", ".notes.txt.swp", ".run.d/x", "epoch-000-analysis/x", "epoch-00-a.txt", "epoch-1/x"]
    for name in others:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("precious")
    with pytest.raises(KeyboardInterrupt):
        WordRank(two_worlds, **SETTINGS, checkpoint=tmp_path, callbacks=[StopAfter(4, KeyboardInterrupt())])
    written = [name for name in names(tmp_path) if (tmp_path / name / "manifest.json").exists()]
    assert written == ["epoch-000003", "epoch-000004"]
    assert same(WordRank.resume(tmp_path), uninterrupted)
    assert all((tmp_path / name).read_text() == "precious" for name in others)


def test_subclass_can_be_resumed(two_worlds, uninterrupted, tmp_path):
    """A run of a subclass whose constructor takes any arguments is resumed as that subclass."""

    class Own(WordRank):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)

    with pytest.raises(KeyboardInterrupt):
        Own(two_worlds, **SETTINGS, checkpoint=tmp_path, callbacks=[StopAfter(4, KeyboardInterrupt())])
    resumed = Own.resume(tmp_path)
    assert isinstance(resumed, Own)
    assert same(resumed, uninterrupted)


def test_replaced_vocabulary_or_vectors_can_be_saved(two_worlds, tmp_path):
    """Checkpoints work after `reset_from`, and after `wv` was replaced."""
    first = WordRank(two_worlds, **SETTINGS)
    second = WordRank(**SETTINGS)
    second.reset_from(first)
    second.train(two_worlds, total_examples=1, epochs=2, checkpoint=tmp_path / "one")
    keyed = KeyedVectors(second.vector_size)
    keyed.add_vectors(second.wv.index_to_key, second.wv.vectors.astype(np.float64))
    second.wv = keyed
    second.train(two_worlds, total_examples=1, epochs=2, checkpoint=tmp_path / "two")
    assert same(WordRank.resume(tmp_path / "two"), second)


def test_words_that_are_floats_are_refused(tmp_path):
    """Words must be strings or integers to be saved."""
    with pytest.raises(TypeError, match="integers to be saved. Got [12].5"):
        WordRank([[1.5, 2.5]], vector_size=4, min_count=1, checkpoint=tmp_path)


def test_interrupted_update_of_the_model(two_worlds, tmp_path, monkeypatch):
    """Ctrl-C while the model takes over the vectors of an epoch leaves a checkpoint of that epoch alone."""
    options = {"vector_size": 6, "epochs": 5}
    whole, set_state = WordRank(two_worlds, **options), weights.set_state

    def interrupted(model, state):
        if state.epoch == 3 and model.epochs_done == 2:
            model.wv.vectors, model.epochs_done = state.words, 3
            raise KeyboardInterrupt
        set_state(model, state)

    monkeypatch.setattr(weights, "set_state", interrupted)
    with pytest.raises(KeyboardInterrupt):
        WordRank(two_worlds, checkpoint=tmp_path / "run", **options)
    monkeypatch.undo()
    resumed = WordRank.resume(tmp_path / "run")
    assert resumed.wv.vectors.tobytes() == whole.wv.vectors.tobytes()
    assert resumed.training_losses == whole.training_losses


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("run/model.json", {"parameters": {"corpus_file": "/dev/zero"}}, "model.json' .* 'corpus_file' is unknown"),
        ("run/model.json", {"parameters": {"checkpoint": "elsewhere"}}, "model.json' .* 'checkpoint' is unknown"),
        ("run/model.json", {"parameters": {"hashfxn": 1}}, "model.json' .* 'hashfxn' is unknown"),
        ("run/model.json", {"parameters": {"vector_size": 10**8}}, "there are not 20 vectors|there are not 40 vectors"),
        ("run/model.json", {"parameters": {"epochs": 10**12}}, "'epochs' must be an integer from 1 to 1000000"),
        ("run/model.json", {"parameters": {"solver": "hdfs"}}, "parameters in .* cannot be used: 'solver' must be one"),
        ("run/model.json", {"train": "not a method"}, "model.json' .* 'train' is unknown"),
        ("run/model.json", {"corpus_count": "many"}, "model.json' is damaged: 'corpus_count' must be an integer"),
        ("run/model.json", {"_counted": ["x y"]}, "model.json' is damaged: '_counted' must be a list"),
        ("run/run.json", {"every": "0s"}, "run.json' is damaged: 'every' must be a number of epochs"),
        ("run/run.json", {"directory": "elsewhere"}, "run.json' .* 'directory' is unknown"),
        ("run/words.npy", np.zeros((40, 11), np.float32), "run' is damaged: 'contexts' must be .* shape"),
        ("run/words.npy", np.zeros((40, 12)), "run' is damaged: 'words' must be finite numbers of type float32"),
        ("run/bias.npy", np.full(40, np.nan, np.float32), "run' is damaged: 'bias' must be finite numbers"),
        ("run/lock.npy", np.ones(7, np.float32), "run' is damaged: 'lock' must be"),
        ("run/extra.json", 1, "run' .* 'extra' is unknown"),
        ("run/wv.0.npy", np.full(40, -5), "run' is damaged: 'wv.0' must be 40 numbers, 0 or above"),
        ("cooccurrence/words.json", [2**61] * 40, "each row once"),
        ("cooccurrence/words.json", [2**64] * 40, "cooccurrence' is damaged: 'words' must be a list"),
        ("cooccurrence/data.npy", hostile.npy_header("f4", (10**12,)), "data.npy' is damaged: it has 128 bytes, not 4"),
    ],
)
def test_forged_run(interrupted_run, file, change, message):
    """A run with right checksums that names other files, attributes, types or sizes is refused; nothing is written."""
    if isinstance(change, dict):
        given = json.loads((interrupted_run / file).read_text())
        for name, value in change.items():
            given[name] = given[name] | value if isinstance(value, dict) else value
        change = given
    hostile.forge(interrupted_run, file, change)
    before = sorted(interrupted_run.parent.rglob("*"))
    with pytest.raises((ValueError, OSError), match=message):
        WordRank.resume(interrupted_run)
    assert sorted(interrupted_run.parent.rglob("*")) == before


@pytest.mark.parametrize(
    ("file", "value"),
    [
        ("progress.json", {"wv": 3}), ("progress.json", []), ("epoch.json", 7), ("epoch.json", [4]), ("sink.json", 1),
        ("contexts.npy", np.zeros((40, 13), np.float32)), ("word_accumulator.npy", np.full(40, -1, np.float32)),
    ],
)  # fmt: skip
def test_forged_checkpoint_is_skipped(interrupted_run, uninterrupted, caplog, file, value):
    """A checkpoint with right checksums that holds something else is skipped like a damaged one."""
    hostile.forge(interrupted_run, f"epoch-000004/{file}", value)
    assert same(WordRank.resume(interrupted_run), uninterrupted)
    assert "epoch-000004" in caplog.text


@pytest.mark.parametrize("name", ["run", "cooccurrence", "epoch-000004"])
def test_links_in_a_run_are_refused(interrupted_run, name):
    """A run whose directories are links is not read, and nothing is written to where they lead."""
    elsewhere = interrupted_run.parent / "elsewhere"
    (interrupted_run / name).rename(elsewhere)
    (interrupted_run / name).symlink_to(elsewhere)
    with pytest.raises(FileExistsError, match=f"{name}' is a link, and a training run follows none"):
        WordRank.resume(interrupted_run)


@pytest.mark.parametrize("name", ["manifest.json", "model.json", "words.npy"])
def test_device_or_pipe_in_a_run(interrupted_run, name):
    """A file of a run that is a link to a device, or a pipe, is refused instead of read without end."""
    for make in (lambda path: path.symlink_to("/dev/zero"), os.mkfifo):
        (interrupted_run / "run" / name).unlink()
        make(interrupted_run / "run" / name)
        with pytest.raises(ValueError, match=f"{name}' is (no regular file|missing or damaged)"):
            WordRank.resume(interrupted_run)


def test_files_that_others_named_like_ours(two_worlds, uninterrupted, tmp_path):
    """The lock is neither emptied nor followed through a link; a mark of others, or one that is a link, is refused."""
    precious = tmp_path / "precious.txt"
    precious.write_text("precious")
    place = tmp_path / "run"
    place.mkdir()
    for name in (run_directory.LOCK, run_directory.INCOMPLETE):
        (place / name).symlink_to(precious)
        with pytest.raises(FileExistsError, match=f"{name}' is not what a training run wrote there"):
            WordRank(two_worlds, **SETTINGS, checkpoint=place)
        (place / name).unlink()
        (place / name).hardlink_to(precious)
        if name == run_directory.INCOMPLETE:
            with pytest.raises(FileExistsError, match=f"{name}' is not what a training run wrote there"):
                WordRank(two_worlds, **SETTINGS, checkpoint=place)
            (place / name).unlink()
    for name in (".lock", ".incomplete", ".begun"):
        (place / name).write_text("precious")
    assert same(WordRank(two_worlds, **SETTINGS, checkpoint=place), uninterrupted)
    assert same(WordRank.resume(place), uninterrupted)
    for path in (precious, place / run_directory.LOCK, *(place / name for name in (".lock", ".incomplete", ".begun"))):
        assert path.read_text() == "precious"


def test_files_of_others_in_checkpoints(interrupted_run, uninterrupted, caplog):
    """A directory with the name of a checkpoint that holds files of others is neither removed nor replaced."""
    notes = [interrupted_run / name / "notes.txt" for name in ("epoch-000001", "epoch-000003", "epoch-000006")]
    for path in notes:
        path.parent.mkdir(exist_ok=True)
        path.write_text("precious")
    assert same(WordRank.resume(interrupted_run), uninterrupted)
    assert [path.read_text() for path in notes] == ["precious"] * 3
    assert "epoch-000006' holds other files" in caplog.text
    assert (interrupted_run / "epoch-000007" / "manifest.json").is_file()


def test_new_directory_is_written(tmp_path, monkeypatch):
    """After Ctrl-C, a directory that was created for a run belongs to what was written; one that was there does not."""
    monkeypatch.setattr(atomic_files, "_published", {})
    (tmp_path / "old").mkdir()
    for name in ("old", "new"):
        checkpoints.prepare_directory(tmp_path / name)
    assert atomic_files.published() == [str(tmp_path / "new")]


def test_results_in_a_run(tmp_path):
    """A result cannot take the place of a run or of its parts; beside them it can be written."""
    place = tmp_path / "a" / "run"
    for name in (".", "run", "cooccurrence", "epoch-000001", "run/words.npy", run_directory.LOCK, "..", "x/../run"):
        with pytest.raises(ValueError, match="the training run is kept there. Give another name"):
            run_directory.refuse_output(place, place / name)
    for output in (place / "model", place / "epochs", tmp_path / "model", tmp_path / "a" / "run2"):
        run_directory.refuse_output(place, output)


def test_all_parameters_are_checked():
    """Each parameter that a run stores is known to the check that reads it."""
    assert persistence._stored_parameters(WordRank) == persistence.PARAMETERS.keys()
