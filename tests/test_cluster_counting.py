"""Counting on several machines: the same pairs, and the same vectors, as on one."""

import gzip
import http.server
import os
import threading
from functools import partial

import pytest
from distributed import LocalCluster
from gensim.utils import RULE_DISCARD, RULE_KEEP
from gensim_wordrank import Cooccurrence, WordRank
from gensim_wordrank.cluster import backend, connect, shards

from clusters import SIZE, fingerprint

pytestmark = pytest.mark.cluster
OPTIONS = {"vector_size": SIZE, "epochs": 2, "window": 5}


@pytest.fixture(scope="module")
def machines():
    """Three workers that are threads of this process."""
    options = {"threads_per_worker": 1, "processes": False, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=3, **options) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def files(lee, tmp_path_factory):
    """The Lee corpus in three files of different sizes, the second compressed."""
    place = tmp_path_factory.mktemp("texts")
    lines = [f"{' '.join(sentence)}\n" for sentence in lee]
    (place / "one").write_text("".join(lines[:200]))
    with gzip.open(place / "two.gz", "wt") as file:
        file.writelines(lines[200:220])
    (place / "three").write_text("".join(lines[220:]))
    return [place / "one", place / "two.gz", place / "three"]


@pytest.fixture(scope="module")
def address(files, lee_pairs):
    """Where a server on the loopback interface has the texts, and the pairs in "pairs"; without ranges of bytes."""
    folder = files[0].parent
    lee_pairs.save(folder / "pairs")
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    handler.func.log_message = lambda *arguments: None
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def count(machines, **options):
    """Count on a cluster."""
    with connect(machines) as connected:
        return Cooccurrence.from_corpus(backend=connected, **options)


def bytes_of(pairs):
    """Words and numbers of co-occurrences."""
    arrays = (pairs.counts, pairs.data, pairs.indices, pairs.indptr)
    return pairs.words, [array.tobytes() for array in arrays], [array.dtype for array in arrays]


# ---- the same bits


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_pieces_are_the_text(files, n):
    """Cut for several machines, the lines of all pieces, one after the other, are those of the files."""
    split = shards.split_texts(list(map(str, files)), n)
    assert len(split) == n
    for name in files:
        pieces = [piece for share in split for piece in share if piece.source == str(name)]
        assert b"".join(block for piece in pieces for block in piece.blocks()) == name.read_bytes()
        assert all(b"".join(piece.blocks()).endswith(b"\n") for piece in pieces if name.suffix != ".gz")
    if n < 7:  # no line of the text is so long
        assert all(split)


def test_a_file_without_lines_is_not_cut(tmp_path):
    """A text that is one line goes to one machine; an empty one to none."""
    (tmp_path / "long").write_text("word " * 1000)
    (tmp_path / "empty").write_text("")
    split = shards.split_texts([str(tmp_path / "long"), str(tmp_path / "empty")], 3)
    assert [len(share) for share in split] == [1, 0, 0]


@pytest.mark.parametrize("options", [{}, {"symmetric": False, "distance_weighting": False}, {"max_final_vocab": 300}])
def test_machines_count_the_same_bits(machines, files, options):
    """The matrix and the order of its words do not depend on the machines, with texts of any kind."""
    options = {"corpus_file": files, "window": 7, "min_count": 2, **options}
    here, there = Cooccurrence.from_corpus(**options), count(machines, **options)
    assert bytes_of(there) == bytes_of(here)


@pytest.mark.parametrize("text", ["a b\n", "a\nb\n"])
def test_more_machines_than_words(machines, tmp_path, text):
    """A text of two words, with a pair or without, is counted and trained on as on one machine."""
    (tmp_path / "text").write_text(text)
    options = {"corpus_file": [tmp_path / "text"], "min_count": 1}
    here, there = Cooccurrence.from_corpus(**options), count(machines, **options)
    assert bytes_of(there) == bytes_of(here)
    models = [WordRank(vector_size=4, epochs=1, cluster=cluster, **options) for cluster in (None, machines)]
    assert fingerprint(models[0]) == fingerprint(models[1])


def test_machines_write_the_same_files(machines, files, tmp_path):
    """Counted on machines into a directory, co-occurrences have the checksums of those that were counted here."""
    Cooccurrence.from_corpus(corpus_file=files, path=tmp_path / "here")
    count(machines, corpus_file=files, path=tmp_path / "there")
    assert (tmp_path / "here" / "manifest.json").read_text() == (tmp_path / "there" / "manifest.json").read_text()


def test_training_counts_where_it_trains(machines, files, monkeypatch):
    """Vectors from texts are those of one machine, and no pair passes through the driver."""
    passed = []
    for owner, name in ((backend, "send_counts"), (backend.RemoteCounts, "gather")):
        monkeypatch.setattr(owner, name, lambda *arguments, name=name: passed.append(name))
    alone = WordRank(corpus_file=files, **OPTIONS)
    model = WordRank(corpus_file=files, cluster=machines, **OPTIONS)
    assert fingerprint(model) == fingerprint(alone)
    assert (model.corpus_count, model.corpus_total_words) == (alone.corpus_count, alone.corpus_total_words)
    assert passed == []
    assert model.cooccurrence is None
    assert model.cluster is machines


def test_the_vocabulary_is_gensims(machines, files):
    """Rules of the vocabulary act as on one machine."""

    def rule(word, count, min_count):
        return RULE_DISCARD if word.startswith("t") else RULE_KEEP if word == "emptied" else None

    models = [
        WordRank(corpus_file=files, trim_rule=rule, max_final_vocab=500, cluster=cluster, **OPTIONS)
        for cluster in (None, machines)
    ]
    assert models[0].wv.index_to_key == models[1].wv.index_to_key
    assert fingerprint(models[0]) == fingerprint(models[1])


def test_texts_that_machines_do_not_see_are_sent(machines, files, monkeypatch):
    """Files that are only here, whole or cut, compressed or not, are sent; the pairs are the same."""
    expected = bytes_of(Cooccurrence.from_corpus(corpus_file=files))
    monkeypatch.setattr(shards.TextShard, "is_readable", lambda shard: False)
    opened = []
    monkeypatch.setattr(shards.TextShard, "open", opened.append)
    assert bytes_of(count(machines, corpus_file=files)) == expected
    assert opened == []


def test_another_file_of_the_same_name_is_not_taken(tmp_path):
    """A file that differs in size or time from the one that the driver sees is not read."""
    path = tmp_path / "text"
    path.write_text("a b\n")
    [[shard]] = shards.split_texts([str(path)], 1)
    assert shard.is_readable()
    os.utime(path, (0, 0))
    assert not shard.is_readable()


def test_several_files_on_one_machine(files, lee):
    """A list of files is read as one text, also where gensim prunes the vocabulary."""
    expected = WordRank(lee, **OPTIONS)
    assert fingerprint(WordRank(corpus_file=files, **OPTIONS)) == fingerprint(expected)
    pruned = [WordRank(**text, max_vocab_size=2000, **OPTIONS) for text in ({"corpus_file": files}, {"sentences": lee})]
    assert fingerprint(pruned[0]) == fingerprint(pruned[1])


# ---- addresses


def test_machines_read_texts_from_addresses(machines, address, files):
    """Texts may be under addresses that the machines reach."""
    sources = [f"{address}/{path.name}" for path in files]
    there = count(machines, corpus_file=sources)
    assert bytes_of(there) == bytes_of(Cooccurrence.from_corpus(corpus_file=files))


def test_machines_read_pairs_from_an_address(machines, address, lee_pairs, monkeypatch):
    """Pairs under an address are read by the machines; the driver reads what is small."""
    loaded = []
    load = backend.checksummed.read
    monkeypatch.setattr(backend.checksummed, "read", lambda *a, **b: loaded.append(load(*a, **b)) or loaded[-1])
    monkeypatch.setattr(backend, "send_counts", None)
    options = {"vector_size": SIZE, "epochs": 2}
    model = WordRank.from_cooccurrence(f"{address}/pairs/", cluster=machines, **options)
    assert fingerprint(model) == fingerprint(WordRank.from_cooccurrence(lee_pairs, **options))
    assert [sorted(each) for each in loaded] == [["counts", "indptr", "words"]]


@pytest.mark.parametrize("name", ["data", "indices"])
def test_damaged_pairs_under_an_address_are_refused(machines, address, files, lee_pairs, name):
    """A byte that changed, and leaves a number that could be one, is noticed by the machine that reads the end."""
    folder = files[0].parent / f"damaged-{name}"
    lee_pairs.save(folder)
    content = bytearray((folder / f"{name}.npy").read_bytes())
    content[1000] ^= 1
    (folder / f"{name}.npy").write_bytes(content)
    with pytest.raises(RuntimeError, match=f"{name}.npy' is damaged"):
        WordRank.from_cooccurrence(f"{address}/damaged-{name}/", cluster=machines, vector_size=SIZE, epochs=1)


def test_pairs_under_an_address_come_here_without_a_cluster(address, lee_pairs):
    """They are loaded whole, and checked."""
    assert bytes_of(Cooccurrence.load(f"{address}/pairs")) == bytes_of(lee_pairs)
    with pytest.raises(OSError, match="404"):
        Cooccurrence.load(f"{address}/nothing")


# ---- failures


@pytest.mark.parametrize(
    ("source", "raised", "message"),
    [
        ("/nowhere/text", RuntimeError, r"The work failed on .*: .*No such file or directory: '/nowhere/text'"),
        (open, ValueError, "'corpus_file' must be a path, a URL or a list of these with a 'cluster'"),
    ],
)
def test_texts_that_cannot_be_read(machines, source, raised, message):
    """The error names the text, at once."""
    with pytest.raises(raised, match=message):
        WordRank(corpus_file=[source], cluster=machines)


def test_sentences_are_counted_here(machines, lee):
    """A cluster trains on sentences, but cannot count them."""
    assert WordRank(lee, cluster=machines, **OPTIONS).cooccurrence.nnz
    with pytest.raises(TypeError, match="Use 'corpus_file' with 'backend'"):
        count(machines, sentences=lee)


def test_a_checkpoint_holds_pairs_that_machines_counted(machines, files, tmp_path):
    """With checkpoints the pairs come here once, and a run can go on without the machines."""
    model = WordRank(corpus_file=files, cluster=machines, checkpoint=tmp_path / "run", **OPTIONS)
    for epoch in (tmp_path / "run").glob("epoch-*"):
        (epoch / "manifest.json").unlink()
    assert fingerprint(WordRank.resume(tmp_path / "run")) == fingerprint(model)
