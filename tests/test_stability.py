"""Models of resampled texts: blocks, intervals of cosines, and which words can be trusted."""

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim_wordrank import WordRank
from gensim_wordrank.analysis import blocks
from gensim_wordrank.analysis.stability import Stability
from gensim_wordrank.keyedvectors import unit
from gensim_wordrank.text.corpus import read

SMALL = {"vector_size": 10, "window": 5, "min_count": 1, "epochs": 10}


def grouped_text(n_groups=6, size=11, n_noise=30, n_sentences=900):
    """Sentences of one group of words each, with a word between them that belongs to no group."""
    random = np.random.default_rng(0)
    groups = [[f"g{group}w{i}" for i in range(size)] for group in range(n_groups)]
    noise = [f"noise{i}" for i in range(n_noise)]
    return [
        [*random.permutation(groups[random.integers(n_groups)])[:8].tolist(), str(random.choice(noise))]
        for _ in range(n_sentences)
    ]


@pytest.fixture(scope="module")
def text():
    """A text in which the ten nearest words of `g0w0` are known, and those of `noise0` are a matter of chance."""
    return grouped_text()


@pytest.fixture(scope="module")
def model(text):
    """A model of the text."""
    return WordRank(text, **SMALL)


@pytest.fixture(scope="module")
def stability(model, text):
    """What resamples say of the model."""
    return model.stability(text)


def noisy(vectors, random, deviation):
    """Return unit vectors with noise."""
    return unit(vectors + deviation * random.normal(size=vectors.shape).astype(np.float32))


def keyed(vectors):
    """Return vectors of the words 0, 1, ..., as strings."""
    wv = KeyedVectors(vectors.shape[1])
    wv.add_vectors([str(i) for i in range(len(vectors))], vectors)
    return wv


def test_blocks_are_the_text():
    """Blocks have whole sentences and about as many words each, and all of them in order are the text again."""
    sentences = [["a", "b", "c"][: 1 + i % 3] for i in range(200)]
    source = read(sentences)
    pieces = blocks.split(source, 20)
    assert len(pieces) == 20
    assert all(piece[-1] == -1 for piece in pieces)
    assert np.ptp([len(piece) for piece in pieces]) < 8  # a sentence has up to 4 ids, at both ends
    joined = blocks.join(source, pieces)
    assert list(joined) == sentences
    assert joined.counts.tolist() == source.counts.tolist()
    assert (joined.n_sentences, joined.n_tokens) == (source.n_sentences, source.n_tokens)


def test_blocks_need_sentences():
    """A text of few sentences is refused, with the remedy."""
    with pytest.raises(ValueError, match="5 blocks of whole sentences, and 10 are needed"):
        blocks.split(read([["a", "b"]] * 5), 100)


def test_known_neighbours(stability):
    """Words that only ever occur with ten others are trusted, with all of them as neighbours; chance ones are not."""
    near = stability.most_similar("g0w0")
    assert {each.word for each in near} == {f"g0w{i}" for i in range(1, 11)}
    assert all(each.share == 1 and each.low < each.cosine for each in near)
    assert stability.is_trusted("g0w0")
    assert not stability.is_trusted("noise0")
    assert stability.agreement(["g0w0", "noise0"]) == [1.0, stability.agreement(["noise0"])[0]]


@pytest.mark.parametrize("deviation", [0.1, 0.3])
def test_coverage(deviation):
    """Of the intervals of vectors with known noise, 93 to 97% hold the cosine in another sample.

    The model, another one and the resamples have independent noise; that of the resamples is added to the model's.
    """
    random, hits, others = np.random.default_rng(1), [], []
    for _ in range(4):
        true = unit(random.normal(size=(400, 10)).astype(np.float32))
        mine, other = keyed(noisy(true, random, deviation)), keyed(noisy(true, random, deviation))
        resampled = np.stack([noisy(mine.vectors, random, deviation) for _ in range(10)]).astype(np.float16)
        stability = Stability(mine, resampled)
        for i in range(100):
            for near in stability.most_similar(str(i)):
                hits.append(near.low <= other.similarity(str(i), near.word) <= near.high)
            for j in range(200, 205):
                found = stability.similarity(str(i), str(j))
                others.append(found.low <= other.similarity(str(i), str(j)) <= found.high)
    assert 0.93 <= np.mean(hits) <= 0.97
    assert 0.93 <= np.mean(others) <= 0.97


def test_neighbours_fall():
    """Without noise neighbours do not fall; with noise, the nearest of a model are too near, and intervals say so."""
    random = np.random.default_rng(0)
    true = unit(random.normal(size=(300, 10)).astype(np.float32))
    assert Stability(keyed(true), np.stack([true] * 3).astype(np.float16)).fall == 0
    resampled = np.stack([noisy(true, random, 0.3) for _ in range(10)]).astype(np.float16)
    stability = Stability(keyed(true), resampled)
    assert 0.5 < stability.fall < 3
    near, alone = stability.most_similar("0", 1)[0], stability.similarity("0", stability.most_similar("0", 1)[0].word)
    assert near.low < alone.low
    assert near.cosine == pytest.approx(alone.cosine)


def test_words_that_resamples_lack():
    """A word in fewer than three resamples has the interval of all cosines, and its neighbours have low shares."""
    vectors = unit(np.random.default_rng(0).normal(size=(20, 5)).astype(np.float32))
    resampled = np.stack([vectors] * 5).astype(np.float16)
    resampled[2:, 0] = 0
    stability = Stability(keyed(vectors), resampled)
    assert stability.similarity("0", "1")[1:] == (-1, 1)
    assert {near.share for near in stability.most_similar("0")} == {0.4}
    assert stability.similarity("1", "2").low == pytest.approx(stability.similarity("1", "2").high, abs=1e-3)


def test_subwords_and_other_solvers(text):
    """Resamples of models with n-grams, or of another solver, find the known neighbours, too."""
    for options in ({"subwords": True}, {"solver": "stored", "epochs": 20}):
        stability = WordRank(text, **SMALL | options).stability(text, resamples=3)
        near = {each.word for each in stability.most_similar("g0w0") if each.share == 1}
        assert len(near & {f"g0w{i}" for i in range(1, 11)}) >= 8


def test_number_of_workers(model, text):
    """The resamples do not depend on the number of workers."""
    first = WordRank(text, **SMALL, workers=1).stability(text, resamples=3).resampled
    assert WordRank(text, **SMALL, workers=4).stability(text, resamples=3).resampled.tobytes() == first.tobytes()


def test_files(stability, model, tmp_path):
    """What was saved is loaded; a file of another model, or of something else, is refused."""
    path = tmp_path / "model.stability"
    stability.save(path)
    assert Stability.load(path, model.wv).most_similar("g0w0") == stability.most_similar("g0w0")
    with pytest.raises(ValueError, match="belongs to another model"):
        Stability.load(path, keyed(np.eye(4, dtype=np.float32)))
    model.save(tmp_path / "model", format="safetensors")
    with pytest.raises(ValueError, match="holds no stability"):
        Stability.load(tmp_path / "model", model.wv)


def test_errors(model, text, caplog):
    """Too few resamples and models with given vectors are refused; another text is warned of."""
    with pytest.raises(ValueError, match="'resamples' must be at least 3"):
        model.stability(text, resamples=2)
    tuned = WordRank(text, **SMALL, warm_start=model.wv)
    with pytest.raises(ValueError, match="without 'warm_start'"):
        tuned.stability(text)
    model.stability(text[:300], resamples=3)
    assert "the model was trained on 8100" in caplog.text
