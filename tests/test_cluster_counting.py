"""Counting on a cluster gives the counts and the vectors of one machine."""

import gzip
import http.server
import os
import threading
from functools import partial

import numpy as np
import pytest
from distributed import LocalCluster
from gensim.utils import RULE_DISCARD, RULE_KEEP
from gensim_wordrank import Cooccurrence, WordRank
from gensim_wordrank.cluster import backend, connect, peer, shards
from gensim_wordrank.cooccurrence import counting

from clusters import SIZE, fingerprint

pytestmark = pytest.mark.cluster
OPTIONS = {"vector_size": SIZE, "epochs": 2, "window": 5}


@pytest.fixture(scope="module")
def machines():
    """Yield a cluster of three workers that are threads of this process."""
    options = {"threads_per_worker": 1, "processes": False, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=3, **options) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def files(lee, tmp_path_factory):
    """Return the Lee corpus as three files of different sizes, the second compressed."""
    place = tmp_path_factory.mktemp("texts")
    lines = [f"{' '.join(sentence)}\n" for sentence in lee]
    (place / "one").write_text("".join(lines[:200]))
    with gzip.open(place / "two.gz", "wt") as file:
        file.writelines(lines[200:220])
    (place / "three").write_text("".join(lines[220:]))
    return [place / "one", place / "two.gz", place / "three"]


@pytest.fixture(scope="module")
def url(files, lee_pairs):
    """Yield the URL of a local server, without range requests, for the texts and for counts in "pairs"."""
    folder = files[0].parent
    lee_pairs.save(folder / "pairs")
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    handler.func.log_message = lambda *arguments: None
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def count(machines, **options):
    """Count on a cluster, and return the counts."""
    with connect(machines) as connected:
        return Cooccurrence.from_corpus(backend=connected, **options)


def bytes_of(pairs):
    """Return the words, bytes and types of co-occurrence counts."""
    arrays = (pairs.counts, pairs.data, pairs.indices, pairs.indptr)
    return pairs.words, [array.tobytes() for array in arrays], [array.dtype for array in arrays]


# ---- the same bits


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_shards_make_up_the_text(files, n):
    """The shards of all machines, one after another, are the files, split only between lines."""
    split = shards.split_texts(list(map(str, files)), n)
    assert len(split) == n
    for name in files:
        pieces = [piece for share in split for piece in share if piece.source == str(name)]
        assert b"".join(block for piece in pieces for block in piece.blocks()) == name.read_bytes()
        assert all(b"".join(piece.blocks()).endswith(b"\n") for piece in pieces if name.suffix != ".gz")
    if n < 7:  # no line of the text is so long
        assert all(split)


def test_single_line_is_not_split(tmp_path):
    """A text of one line goes to one machine, and an empty one to none."""
    (tmp_path / "long").write_text("word " * 1000)
    (tmp_path / "empty").write_text("")
    split = shards.split_texts([str(tmp_path / "long"), str(tmp_path / "empty")], 3)
    assert [len(share) for share in split] == [1, 0, 0]


@pytest.mark.parametrize("options", [{}, {"symmetric": False, "distance_weighting": False}, {"max_final_vocab": 300}])
def test_counts_do_not_depend_on_the_machines(machines, files, options):
    """A cluster gives the same matrix and word order as one machine, with compressed and uncompressed texts."""
    options = {"corpus_file": files, "window": 7, "min_count": 2, **options}
    here, there = Cooccurrence.from_corpus(**options), count(machines, **options)
    assert bytes_of(there) == bytes_of(here)


def test_counts_are_added_up_a_few_rows_at_a_time(machines, files, monkeypatch):
    """A machine holds few pairs of the others at once, and the sums are the same."""
    at_once, merge = [], counting.merge

    def watched(runs, *arguments):
        at_once.append(sum(len(run.data) for run in runs))
        return merge(runs, *arguments)

    here = Cooccurrence.from_corpus(corpus_file=files)
    monkeypatch.setattr(peer, "PAIRS_PER_MESSAGE", 5000)
    monkeypatch.setattr(peer.counting, "merge", watched)
    assert bytes_of(count(machines, corpus_file=files)) == bytes_of(here)
    assert sum(at_once) >= here.nnz > 50_000
    longest = 3 * int(np.diff(here.indptr).max())  # a row is not split
    assert max(at_once) <= 5000 + longest < here.nnz / 4


@pytest.mark.parametrize("text", ["a b\n", "a\nb\n"])
def test_text_may_have_fewer_words_than_machines(machines, tmp_path, text):
    """A text of two words, with or without a pair, gives the counts and vectors of one machine."""
    (tmp_path / "text").write_text(text)
    options = {"corpus_file": [tmp_path / "text"], "min_count": 1}
    here, there = Cooccurrence.from_corpus(**options), count(machines, **options)
    assert bytes_of(there) == bytes_of(here)
    models = [WordRank(vector_size=4, epochs=1, cluster=cluster, **options) for cluster in (None, machines)]
    assert fingerprint(models[0]) == fingerprint(models[1])


def test_saved_counts_do_not_depend_on_the_machines(machines, files, tmp_path):
    """Counts that a cluster writes to a directory have the same checksums as those of one machine."""
    Cooccurrence.from_corpus(corpus_file=files, path=tmp_path / "here")
    count(machines, corpus_file=files, path=tmp_path / "there")
    assert (tmp_path / "here" / "manifest.json").read_text() == (tmp_path / "there" / "manifest.json").read_text()


def test_counts_do_not_pass_through_the_driver(machines, files, monkeypatch):
    """Training on texts gives the vectors of one machine, and the counts stay on the workers."""
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


def test_vocabulary_rules_apply(machines, files):
    """`trim_rule` and `max_final_vocab` select the same vocabulary as on one machine."""

    def rule(word, count, min_count):
        return RULE_DISCARD if word.startswith("t") else RULE_KEEP if word == "emptied" else None

    models = [
        WordRank(corpus_file=files, trim_rule=rule, max_final_vocab=500, cluster=cluster, **OPTIONS)
        for cluster in (None, machines)
    ]
    assert models[0].wv.index_to_key == models[1].wv.index_to_key
    assert fingerprint(models[0]) == fingerprint(models[1])


def test_texts_that_workers_cannot_open_are_sent(machines, files, monkeypatch):
    """Files that only the driver sees, compressed or not, are sent to the workers; the counts are the same."""
    expected = bytes_of(Cooccurrence.from_corpus(corpus_file=files))
    monkeypatch.setattr(shards.TextShard, "is_readable", lambda shard: False)
    opened = []
    monkeypatch.setattr(shards.TextShard, "open", opened.append)
    assert bytes_of(count(machines, corpus_file=files)) == expected
    assert opened == []


def test_different_file_of_the_same_name_is_not_read(tmp_path):
    """A file whose size or modification time differs from the driver's is not used."""
    path = tmp_path / "text"
    path.write_text("a b\n")
    [[shard]] = shards.split_texts([str(path)], 1)
    assert shard.is_readable()
    os.utime(path, (0, 0))
    assert not shard.is_readable()


def test_list_of_files_is_read_as_one_text(files, lee):
    """Without a cluster, a list of files gives the vectors of its sentences, also with `max_vocab_size`."""
    expected = WordRank(lee, **OPTIONS)
    assert fingerprint(WordRank(corpus_file=files, **OPTIONS)) == fingerprint(expected)
    pruned = [WordRank(**text, max_vocab_size=2000, **OPTIONS) for text in ({"corpus_file": files}, {"sentences": lee})]
    assert fingerprint(pruned[0]) == fingerprint(pruned[1])


# ---- URLs


def test_workers_read_texts_from_urls(machines, url, files):
    """Texts at URLs give the same counts as the files."""
    sources = [f"{url}/{path.name}" for path in files]
    there = count(machines, corpus_file=sources)
    assert bytes_of(there) == bytes_of(Cooccurrence.from_corpus(corpus_file=files))


def test_workers_read_counts_from_a_url(machines, url, lee_pairs, monkeypatch):
    """Workers read the rows of counts at a URL; the driver reads only words, word counts and offsets."""
    loaded = []
    name, load = "read_with_checksums", backend.checksummed.read_with_checksums
    monkeypatch.setattr(backend.checksummed, name, lambda *a, **b: loaded.append(load(*a, **b)) or loaded[-1])
    monkeypatch.setattr(backend, "send_counts", None)
    options = {"vector_size": SIZE, "epochs": 2}
    model = WordRank.from_cooccurrence(f"{url}/pairs/", cluster=machines, **options)
    assert fingerprint(model) == fingerprint(WordRank.from_cooccurrence(lee_pairs, **options))
    assert [sorted(each) for each, _ in loaded] == [["counts", "indptr", "words"]]


@pytest.mark.parametrize("name", ["data", "indices"])
def test_damaged_counts_at_a_url_are_refused(machines, url, files, lee_pairs, name):
    """The machine that reads the end of a file verifies its checksum, so a changed byte is noticed."""
    folder = files[0].parent / f"damaged-{name}"
    lee_pairs.save(folder)
    content = bytearray((folder / f"{name}.npy").read_bytes())
    content[1000] ^= 1
    (folder / f"{name}.npy").write_bytes(content)
    with pytest.raises(RuntimeError, match=f"{name}.npy' is damaged"):
        WordRank.from_cooccurrence(f"{url}/damaged-{name}/", cluster=machines, vector_size=SIZE, epochs=1)


def test_counts_at_a_url_are_loaded_without_a_cluster(url, lee_pairs):
    """`Cooccurrence.load` reads counts from a URL, and raises an error if there are none."""
    assert bytes_of(Cooccurrence.load(f"{url}/pairs")) == bytes_of(lee_pairs)
    with pytest.raises(OSError, match="404"):
        Cooccurrence.load(f"{url}/nothing")


# ---- failures


@pytest.mark.parametrize(
    ("source", "raised", "message"),
    [
        ("/nowhere/text", RuntimeError, r"The work failed on .*: .*No such file or directory: '/nowhere/text'"),
        (open, ValueError, "'corpus_file' must be a path, a URL or a list of these with a 'cluster'"),
    ],
)
def test_unreadable_text_is_refused(machines, source, raised, message):
    """A missing file, and an object that is no path or URL, raise an error without retries."""
    with pytest.raises(raised, match=message):
        WordRank(corpus_file=[source], cluster=machines)


def test_sentences_are_counted_on_this_machine(machines, lee):
    """A cluster trains on sentences that this machine counts; it refuses to count them itself."""
    assert WordRank(lee, cluster=machines, **OPTIONS).cooccurrence.nnz
    with pytest.raises(TypeError, match="Use 'corpus_file' with 'backend'"):
        count(machines, sentences=lee)


def test_checkpoint_holds_counts_of_a_cluster(machines, files, tmp_path):
    """A run whose text a cluster counted can be resumed from its checkpoint without the cluster."""
    model = WordRank(corpus_file=files, cluster=machines, checkpoint=tmp_path / "run", **OPTIONS)
    for epoch in (tmp_path / "run").glob("epoch-*"):
        (epoch / "manifest.json").unlink()
    assert fingerprint(WordRank.resume(tmp_path / "run")) == fingerprint(model)
