"""Runs that are broken off and go on."""

import logging
import shutil
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim_wordrank import Checkpoints, WordRank
from gensim_wordrank._utils import checksummed
from gensim_wordrank.training import checkpoints

SETTINGS = {"vector_size": 12, "min_count": 1, "epochs": 7, "min_alpha": 0.01, "seed": 5, "workers": 2}


class StopAfter:
    """A callback that ends training after some epochs, in its own way."""

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
    """Whether two models have the same state and loss, byte for byte."""
    pairs = zip(vars(one._state()).values(), vars(other._state()).values(), strict=True)
    return one.running_training_loss == other.running_training_loss and all(np.array_equal(a, b) for a, b in pairs)


def names(place):
    """The checkpoints in a directory."""
    return sorted(path.name for path in place.glob("epoch-*"))


@pytest.fixture(scope="module")
def undisturbed(two_worlds):
    """What a run must end with."""
    return WordRank(two_worlds, **SETTINGS)


@pytest.fixture
def broken(two_worlds, tmp_path):
    """The directory of a run that ended after four epochs."""
    place = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        WordRank(two_worlds, **SETTINGS, checkpoint=place, callbacks=[StopAfter(4, KeyboardInterrupt())])
    return place


class Unread:
    """Sentences that must not be looked at."""

    def __iter__(self):
        raise AssertionError("the text was read")


@pytest.mark.parametrize("name", ["cooccurrence", "epoch-000002"])
def test_what_others_made_is_not_replaced(undisturbed, tmp_path, name):
    """Directories that only have the names of a run's are refused before the text is read, and stay as they are."""
    undisturbed.cooccurrence.save(tmp_path / name)
    before = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*"))
    with pytest.raises(
        FileExistsError, match=f"{name}' does not belong to a training run and would be replaced. Give 'check"
    ):
        WordRank(Unread(), **SETTINGS, checkpoint=tmp_path)
    assert sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*")) == before


def test_a_run_that_was_broken_off_as_it_began_is_begun_again(two_worlds, undisturbed, tmp_path, monkeypatch):
    """What it left is replaced: pairs without a run."""
    write = checksummed.write

    def interrupted(place, kind, contents):
        if kind is checkpoints.RUN:
            raise KeyboardInterrupt
        write(place, kind, contents)

    with monkeypatch.context() as patched:
        patched.setattr(checksummed, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            WordRank(two_worlds[:300], **SETTINGS, checkpoint=tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["cooccurrence"]
    assert same(WordRank(two_worlds, **SETTINGS, checkpoint=tmp_path), undisturbed)
    shutil.rmtree(tmp_path / "run")  # as by someone who wants the pairs to himself
    with pytest.raises(FileExistsError, match="cooccurrence' does not belong to a training run"):
        WordRank(Unread(), **SETTINGS, checkpoint=tmp_path)


def test_the_directory_is_where_it_was_when_it_was_named(two_worlds, undisturbed, tmp_path, monkeypatch):
    """Though the process goes elsewhere, and someone removes the directory while the text is read."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)

    class Moving:
        def __iter__(self):
            shutil.rmtree(tmp_path / "run", ignore_errors=True)
            monkeypatch.chdir(tmp_path / "elsewhere")
            return iter(two_worlds)

    assert same(WordRank(Moving(), **SETTINGS, checkpoint="run"), undisturbed)
    assert same(WordRank.resume(tmp_path / "run"), undisturbed)
    assert not list((tmp_path / "elsewhere").iterdir())


def test_no_directory_is_made_for_what_is_refused_anyway(two_worlds, tmp_path, caplog):
    """Parameters are looked at first; without a text there is nothing to keep."""
    with pytest.raises(ValueError, match="'vector_size'"):
        WordRank(two_worlds, vector_size=-1, checkpoint=tmp_path / "new")
    with caplog.at_level(logging.WARNING):
        WordRank(checkpoint=tmp_path / "new")
    assert "'checkpoint' is ignored without a text" in caplog.text
    assert not list(tmp_path.iterdir())


def test_attributes_of_words_are_kept(two_worlds, tmp_path, caplog):
    """Numbers and texts under any name; what cannot be kept is told."""
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


def test_a_run_that_another_process_finished_since_stays(two_worlds, undisturbed, tmp_path):
    """One that began while this text was being read is not replaced."""

    class Slow:
        def __iter__(self):
            if not (tmp_path / "run").exists():
                WordRank(two_worlds, **SETTINGS, checkpoint=tmp_path)
            return iter(two_worlds[:300])

    with pytest.raises(FileExistsError, match="holds a training run"):
        WordRank(Slow(), **SETTINGS | {"seed": 9}, checkpoint=tmp_path)
    assert same(WordRank.resume(tmp_path), undisturbed)


def test_a_place_without_room_for_checkpoints_is_told_before_the_text_is_read(tmp_path, monkeypatch):
    """A file, and a directory that another process holds."""
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="there is a file of that name"):
        WordRank(Unread(), checkpoint=tmp_path / "file")
    monkeypatch.setattr(checkpoints, "LOCK_TIMEOUT", 0.1)
    with checkpoints._locked(tmp_path), pytest.raises(RuntimeError, match="Another process is training in"):
        WordRank(Unread(), checkpoint=tmp_path)


@pytest.mark.parametrize("workers", [None, 1, 3])
@pytest.mark.parametrize("epochs", [1, 4, 7])
def test_a_run_goes_on_to_the_same_bytes(two_worlds, undisturbed, tmp_path, epochs, workers):
    """Wherever it ended, and with other workers; the model is the same in all it knows."""
    callbacks = [StopAfter(epochs)]
    WordRank(two_worlds, **SETTINGS, checkpoint=tmp_path / "run", callbacks=callbacks)
    model = WordRank.resume(tmp_path / "run", workers=workers)
    assert same(model, undisturbed)
    assert model.wv.index_to_key == undisturbed.wv.index_to_key
    assert model.wv.get_vecattr("sea0", "count") == undisturbed.wv.get_vecattr("sea0", "count")
    assert model.workers == (workers or SETTINGS["workers"])
    differ = {"workers", "total_train_time", "lifecycle_events"}
    for name, value in vars(undisturbed).items():
        if isinstance(value, (int, float, str, list)) and name not in differ:
            assert getattr(model, name) == value, name


@pytest.mark.parametrize("options", [{"solver": "triplet"}, {"pair_loss": "logistic", "rank_loss": "log_t", "t": 2.0}])
def test_every_parameter_is_kept(two_worlds, tmp_path, options):
    """Solver and objective are those of the run."""
    whole = WordRank(two_worlds, **SETTINGS, **options)
    WordRank(two_worlds, **SETTINGS, **options, checkpoint=tmp_path / "run", callbacks=[StopAfter(3)])
    model = WordRank.resume(tmp_path / "run")
    assert (model.solver, model.objective) == (whole.solver, whole.objective)
    assert same(model, whole)


def test_locks_and_earlier_training_are_kept(two_worlds, tmp_path):
    """A run that goes on from a trained model, with words that stay, is resumed as it was."""

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


def test_counted_pairs_and_words_that_are_numbers(tmp_path):
    """from_cooccurrence has checkpoints too."""
    ring = np.eye(30, k=1) + np.eye(30, k=-1)
    settings = {"vector_size": 4, "epochs": 5, "weighted": False}
    whole = WordRank.from_cooccurrence(ring, **settings)
    WordRank.from_cooccurrence(ring, **settings, checkpoint=tmp_path / "run", callbacks=[StopAfter(2)])
    model = WordRank.resume(tmp_path / "run")
    assert same(model, whole)
    assert model.wv.index_to_key == whole.wv.index_to_key


def test_the_last_ones_are_kept(two_worlds, tmp_path):
    """Every n epochs there is one, k of them stay, and the end has one."""
    WordRank(two_worlds, **SETTINGS, checkpoint=Checkpoints(tmp_path / "run", every=3, keep=2))
    assert names(tmp_path / "run") == ["epoch-000006", "epoch-000007"]
    WordRank(two_worlds, **SETTINGS, checkpoint=Checkpoints(tmp_path / "all", keep=99))
    assert len(names(tmp_path / "all")) == 7
    WordRank(two_worlds, **SETTINGS, checkpoint=Checkpoints(tmp_path / "hours", every="2h"))
    assert names(tmp_path / "hours") == ["epoch-000007"]
    WordRank(two_worlds, **SETTINGS, checkpoint=Checkpoints(tmp_path / "always", every="0.0001s", keep=99))
    assert len(names(tmp_path / "always")) == 7


def test_an_error_leaves_the_last_epoch_behind(two_worlds, tmp_path):
    """Also where no checkpoint was due."""
    with pytest.raises(OSError, match="mine"):
        WordRank(
            two_worlds, **SETTINGS, checkpoint=Checkpoints(tmp_path / "run", every="2h"),
            callbacks=[StopAfter(4, OSError("mine"))],
        )  # fmt: skip
    assert names(tmp_path / "run") == ["epoch-000004"]


@pytest.mark.parametrize("damage", ["flip", "cut", "missing", "all"])
def test_a_damaged_checkpoint_is_named_and_the_one_before_is_used(broken, undisturbed, caplog, damage):
    """Whatever file of it was harmed; with none left the run begins again."""
    random = np.random.default_rng(3)
    for path in sorted((broken / "epoch-000004").iterdir()):
        place = broken.parent / "copy"
        shutil.copytree(broken, place)
        spoil(place / "epoch-000004" / path.name, "flip" if damage == "all" else damage, random)
        if damage == "all":
            (place / "epoch-000003" / "words.npy").unlink()
        caplog.clear()
        model = WordRank.resume(place)
        assert same(model, undisturbed)
        named = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
        assert ["epoch-000004" in named[0], *("epoch-000003" in name for name in named[1:])] == [True] * len(named)
        assert len(named) == (2 if damage == "all" else 1)
        shutil.rmtree(place)


def spoil(path, how, random):
    """Harm a file."""
    if how == "missing":
        path.unlink()
        return
    content = bytearray(path.read_bytes())
    at = int(random.integers(len(content)))
    while path.name == "manifest.json" and chr(content[at]).isspace():  # which means nothing
        at = int(random.integers(len(content)))
    content[at] ^= 0x10
    path.write_bytes(content[:at] if how == "cut" else content)


@pytest.mark.parametrize("part", ["run", "cooccurrence"])
@pytest.mark.parametrize("damage", ["flip", "cut", "missing"])
def test_a_run_without_its_start_is_refused(broken, part, damage):
    """Damage to what is there once is named; there are no vectors."""
    random = np.random.default_rng(4)
    for path in sorted((broken / part).iterdir()):
        place = broken.parent / "copy"
        shutil.copytree(broken, place)
        spoil(place / part / path.name, damage, random)
        with pytest.raises((ValueError, FileNotFoundError), match=part):
            WordRank.resume(place)
        shutil.rmtree(place)


def test_a_checkpoint_of_another_run_is_not_used(two_worlds, undisturbed, broken, tmp_path, caplog):
    """Files of a run with another seed are whole, and wrong here."""
    WordRank(two_worlds, **{**SETTINGS, "seed": 6}, checkpoint=tmp_path / "other")
    shutil.copytree(tmp_path / "other" / "epoch-000007", broken / "epoch-000007")
    assert same(WordRank.resume(broken), undisturbed)
    assert "epoch-000007' belongs to another run" in caplog.text
    shutil.rmtree(broken / "cooccurrence")
    WordRank(two_worlds[:9], **SETTINGS, checkpoint=tmp_path / "third")
    shutil.copytree(tmp_path / "third" / "cooccurrence", broken / "cooccurrence")
    with pytest.raises(ValueError, match="cooccurrence' belongs to another run"):
        WordRank.resume(broken)


def test_a_directory_in_use_is_refused_before_the_text_is_read(broken):
    """No run is overwritten, and nobody waits for it."""
    with pytest.raises(FileExistsError, match=r"holds a training run.*resume.*'checkpoint' another"):
        WordRank(Unread(), checkpoint=broken)


@pytest.mark.slow
def test_a_run_is_in_one_process_at_a_time(broken):
    """The second is told, and the first is not harmed; it ends with the process that holds it."""
    with checkpoints.Run.open(broken), pytest.raises(RuntimeError, match="Another process is training in"):
        WordRank.resume(broken)
    assert WordRank.resume(broken).epochs_done == SETTINGS["epochs"]


def test_what_was_being_written_goes(broken, undisturbed):
    """A run that was killed while it wrote leaves nothing behind in the end."""
    shutil.copytree(broken / "epoch-000004", broken / ".epoch-000005.abcd_123" / "new")
    assert same(WordRank.resume(broken), undisturbed)
    left = {path.name for path in broken.iterdir()}
    assert left == {".lock", "cooccurrence", "run", "epoch-000006", "epoch-000007"}


def test_a_full_disk_does_not_end_the_run(two_worlds, undisturbed, tmp_path, monkeypatch, caplog):
    """Training goes on, the log tells, and the last whole checkpoint stays."""
    write, full = checksummed.write, iter([False, False, False, True, True, True, True, True])

    def fail(directory, kind, contents):
        if kind is checkpoints.EPOCH and next(full):
            (directory / "words.npy").write_bytes(b"half")
            raise OSError(28, "No space left on device")
        write(directory, kind, contents)

    monkeypatch.setattr(checksummed, "write", fail)
    assert same(WordRank(two_worlds, **SETTINGS, checkpoint=tmp_path / "run"), undisturbed)
    assert "no checkpoint after epoch 7: [Errno 28] No space left on device. Training continues." in caplog.text
    assert names(tmp_path / "run") == ["epoch-000002", "epoch-000003"]
    monkeypatch.undo()
    assert same(WordRank.resume(tmp_path / "run"), undisturbed)


def test_another_machine_is_told(broken, undisturbed, monkeypatch, caplog):
    """Kernels of another CPU level or version may round otherwise: the log says so."""
    versions = checkpoints.versions() | {"CPU level": "x86-64-v9"}
    monkeypatch.setattr(checkpoints, "versions", lambda: versions)
    with caplog.at_level(logging.WARNING):
        assert same(WordRank.resume(broken), undisturbed)
    assert "x86-64-v9" in caplog.text


def test_there_must_be_a_run(tmp_path):
    """An empty directory is no run, and stays empty."""
    (tmp_path / "empty").mkdir()
    for place in (tmp_path / "empty", tmp_path / "none"):
        with pytest.raises(FileNotFoundError, match=r"holds no training run.*Start over"):
            WordRank.resume(place)
    assert not list((tmp_path / "empty").iterdir())
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "options", [{"every": 0}, {"every": 1.5}, {"every": "soon"}, {"every": "0s"}, {"every": "3"}, {"keep": 0}]
)
def test_options_are_checked(options):
    """The parameter is named."""
    with pytest.raises(ValueError, match=f"'{next(iter(options))}' must be"):
        Checkpoints("place", **options)


def test_no_pickle_is_written_or_read(broken):
    """Every file is .npy of plain numbers, or JSON; an array of objects is refused."""
    for path in broken.rglob("*"):
        assert path.is_dir() or path.suffix in (".json", ".npy") or path.name == ".lock"
        if path.suffix == ".npy":
            assert np.load(path, allow_pickle=False).dtype.kind in "iuf"
    with pytest.raises(ValueError, match="Object arrays"):
        checksummed.write(Path(broken), checkpoints.EPOCH, {"bad": np.array([{}])})


def test_what_is_not_of_a_run_stays(two_worlds, undisturbed, tmp_path):
    """A directory that holds other things keeps them, whatever they are called; checkpoints are pruned as usual."""
    others = [".emacs.d/init.el", ".notes.txt.swp", ".run.d/x", "epoch-000-analysis/x", "epoch-00-a.txt", "epoch-1/x"]
    for name in others:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("precious")
    with pytest.raises(KeyboardInterrupt):
        WordRank(two_worlds, **SETTINGS, checkpoint=tmp_path, callbacks=[StopAfter(4, KeyboardInterrupt())])
    written = [name for name in names(tmp_path) if (tmp_path / name / "manifest.json").exists()]
    assert written == ["epoch-000003", "epoch-000004"]
    assert same(WordRank.resume(tmp_path), undisturbed)
    assert all((tmp_path / name).read_text() == "precious" for name in others)


def test_a_class_made_from_wordrank_goes_on(two_worlds, undisturbed, tmp_path):
    """Its own constructor may pass everything on."""

    class Own(WordRank):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)

    with pytest.raises(KeyboardInterrupt):
        Own(two_worlds, **SETTINGS, checkpoint=tmp_path, callbacks=[StopAfter(4, KeyboardInterrupt())])
    resumed = Own.resume(tmp_path)
    assert isinstance(resumed, Own)
    assert same(resumed, undisturbed)


def test_a_vocabulary_that_was_taken_over_can_be_checkpointed(two_worlds, tmp_path):
    """After reset_from, and with word vectors that were put in place of the model's."""
    first = WordRank(two_worlds, **SETTINGS)
    second = WordRank(**SETTINGS)
    second.reset_from(first)
    second.train(two_worlds, total_examples=1, epochs=2, checkpoint=tmp_path / "one")
    keyed = KeyedVectors(second.vector_size)
    keyed.add_vectors(second.wv.index_to_key, second.wv.vectors.astype(np.float64))
    second.wv = keyed
    second.train(two_worlds, total_examples=1, epochs=2, checkpoint=tmp_path / "two")
    assert same(WordRank.resume(tmp_path / "two"), second)


def test_words_that_are_not_whole_numbers_are_refused(tmp_path):
    """They would come back as others."""
    with pytest.raises(TypeError, match="integers to be saved. Got [12].5"):
        WordRank([[1.5, 2.5]], vector_size=4, min_count=1, checkpoint=tmp_path)
