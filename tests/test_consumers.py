"""Classes of gensim that take models or vectors, or that produce texts, work with WordRank."""

import re

import numpy as np
import pytest
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel, Phrases, TfidfModel, TranslationMatrix
from gensim.models.word2vec import PathLineSentences, Text8Corpus
from gensim.similarities import (
    SoftCosineSimilarity,
    SparseTermSimilarityMatrix,
    WmdSimilarity,
    WordEmbeddingSimilarityIndex,
)
from gensim.similarities.annoy import AnnoyIndexer
from gensim.test.utils import datapath
from gensim_wordrank import WordRank
from gensim_wordrank.cli.use import write_projector
from usearch.index import Index

SMALL = {"vector_size": 12, "window": 5, "epochs": 10}


@pytest.fixture(scope="module")
def model(two_worlds):
    """A model in which the nearest neighbours are words of the same world."""
    return WordRank(two_worlds, vector_size=20, window=5)


@pytest.fixture(scope="module")
def texts():
    """Short texts; the first two are of one world, the others of the other."""
    return [["sea1", "sea2"], ["sea3", "sea4", "sea5"], ["sky1", "sky2"], ["sky3", "sky4", "sky5"]]


def test_usearch(model):
    """A USearch index of the vectors finds the exact neighbours."""
    index = Index(ndim=model.vector_size, metric="cos", dtype="f32")
    index.add(np.arange(len(model.wv)), model.wv.vectors)
    exact = [word for word, _ in model.wv.most_similar("sea1", topn=5)]
    found = [model.wv.index_to_key[match.key] for match in index.search(model.wv["sea1"], 6)]
    assert found == ["sea1", *exact]  # an index also finds the word itself


@pytest.mark.parametrize("what", ["model", "vectors"])
def test_annoy(model, tmp_path, what):
    """An Annoy index of the model or its vectors, also when saved and loaded, finds the exact neighbours."""
    pytest.importorskip("annoy", reason="Annoy has no wheels")
    index = AnnoyIndexer(model if what == "model" else model.wv, num_trees=50)
    exact = [word for word, _ in model.wv.most_similar("sea1", topn=5)]
    # an index also finds the word itself
    assert [word for word, _ in model.wv.most_similar("sea1", topn=6, indexer=index)] == ["sea1", *exact]
    index.save(str(tmp_path / "index"))
    loaded = AnnoyIndexer()
    loaded.load(str(tmp_path / "index"))
    loaded.model = model
    assert [word for word, _ in model.wv.most_similar("sea1", topn=6, indexer=loaded)] == ["sea1", *exact]


def test_word_movers_distance(model, texts):
    """The nearest texts by Word Mover's Distance are of the same world."""
    index = WmdSimilarity(texts, model.wv)
    similarities = index[["sea6", "sea7"]]
    assert similarities[:2].min() > similarities[2:].max()
    assert np.isfinite(similarities).all()


# gensim divides by the length of texts that have nothing in common with the query
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_soft_cosine(model, texts):
    """Texts of the same world without common words have a high soft cosine."""
    dictionary = Dictionary([*texts, ["sea6", "sea7"]])
    bags = [dictionary.doc2bow(text) for text in texts]
    terms = WordEmbeddingSimilarityIndex(model.wv)
    matrix = SparseTermSimilarityMatrix(terms, dictionary, TfidfModel(dictionary=dictionary))
    similarities = SoftCosineSimilarity(bags, matrix)[dictionary.doc2bow(["sea6", "sea7"])]
    assert similarities[:2].min() > similarities[2:].max()


def test_translation_matrix(model, two_worlds):
    """A translation matrix between two models of the same text maps most words to themselves."""
    other = WordRank(two_worlds, vector_size=20, window=5, seed=2)
    words = model.wv.index_to_key
    matrix = TranslationMatrix(model.wv, other.wv, [(word, word) for word in words])
    translated = matrix.translate(words, topn=1, source_lang_vec=model.wv, target_lang_vec=other.wv)
    assert sum(translated[word][0] == word for word in words) > len(words) / 2


def test_coherence(model):
    """Topics of one world are more coherent than mixed ones."""
    topics = [["sea1", "sea2", "sea3"], ["sea1", "sky2", "sea3"]]
    dictionary = Dictionary(topics)
    coherence = CoherenceModel(
        topics=topics, texts=topics, dictionary=dictionary, keyed_vectors=model.wv, coherence="c_w2v", processes=1
    )
    pure, mixed = coherence.get_coherence_per_topic()
    assert pure > mixed


def test_phrases(lee):
    """A model trained on a stream of phrases has vectors of phrases."""
    bigram = Phrases(lee, min_count=5, threshold=10)
    model = WordRank(bigram[lee], **SMALL)
    assert "yasser_arafat" in model.wv
    assert "osama_bin" in model.wv


def test_text8_corpus(two_worlds, tmp_path):
    """One long line is read as several sentences."""
    path = tmp_path / "text8"
    path.write_text(" ".join(word for sentence in two_worlds for word in sentence))
    model = WordRank(Text8Corpus(str(path), max_sentence_length=500), **SMALL)
    assert model.corpus_count == 15  # of 7200 words
    assert len(model.wv) == 40


def test_path_line_sentences(two_worlds, tmp_path):
    """A directory of files, one of them compressed, gives the same vectors as the sentences."""
    import gzip

    lines = [" ".join(sentence) + "\n" for sentence in two_worlds]
    (tmp_path / "a.txt").write_text("".join(lines[:300]))
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress("".join(lines[300:]).encode()))
    model = WordRank(PathLineSentences(str(tmp_path)), **SMALL)
    assert model.wv.vectors.tobytes() == WordRank(two_worlds, **SMALL).wv.vectors.tobytes()


def test_downloader_dataset(tmp_path, two_worlds):
    """A dataset like those of gensim.downloader, without a length, gives the same vectors as the sentences."""
    path = tmp_path / "dataset"
    path.write_text("\n".join(map(" ".join, two_worlds)))

    class Dataset:
        def __init__(self, fn):
            self.fn = fn

        def __iter__(self):
            with self.fn.open(encoding="utf-8") as lines:
                for line in lines:
                    yield line.split()

    model = WordRank(Dataset(path), **SMALL)
    assert model.wv.vectors.tobytes() == WordRank(two_worlds, **SMALL).wv.vectors.tobytes()


def test_evaluation_methods_of_gensim(lee):
    """gensim's evaluation methods return values in their ranges."""
    wv = WordRank(lee, vector_size=20, epochs=5).wv
    pearson, spearman, unknown = wv.evaluate_word_pairs(datapath("wordsim353.tsv"))
    assert -1 <= pearson.statistic <= 1
    assert -1 <= spearman.statistic <= 1
    assert 0 < unknown < 100
    score, sections = wv.evaluate_word_analogies(datapath("questions-words.txt"))
    assert 0 <= score <= 1
    assert sections[-1]["section"] == "Total accuracy"


@pytest.mark.filterwarnings("ignore:Call to deprecated")  # by gensim itself, in most_similar_cosmul
def test_methods_of_keyed_vectors(model):
    """All query methods of KeyedVectors return finite numbers and words of the right world."""
    wv = model.wv
    assert wv.doesnt_match(["sea1", "sea2", "sky3", "sea4"]) == "sky3"
    assert wv.most_similar_to_given("sea1", ["sky1", "sea2"]) == "sea2"
    assert wv.rank("sea1", "sky1") > 10
    assert set(wv.closer_than("sea1", "sky1")) <= set(wv.index_to_key)
    for found in (
        wv.most_similar(positive=["sea1", "sea2"], negative=["sky1"], restrict_vocab=30),
        wv.most_similar_cosmul(positive=["sea1", "sea2"], negative=["sky1"]),
        wv.similar_by_vector(wv["sea1"]),
        wv.similar_by_word("sea1"),
    ):
        assert found[0][0].startswith("sea")
    for numbers in (
        wv.most_similar("sea1", topn=None),
        wv.distances("sea1"),
        wv.n_similarity(["sea1", "sea2"], ["sky1"]),
        wv.relative_cosine_similarity("sea1", "sea2"),
        wv.get_mean_vector(["sea1", "sky1"]),
        wv.get_normed_vectors(),
        [score for score, _ in wv.rank_by_centrality(["sea1", "sea2", "sky1"])],
        wv.vectors_for_all(["sea1", "nowhere"], allow_inference=False).vectors,
    ):
        assert np.isfinite(numbers).all()
    with pytest.raises(KeyError, match="nowhere"):
        wv.most_similar("nowhere")
    with pytest.raises(AttributeError, match="Migrating-from-Gensim"):
        _ = wv.vocab


def test_tensorboard_finds_the_vectors_and_their_words(tmp_path, lee):
    """The configuration names both files; they have a row per word, in the same order, and the words have no header."""
    wv = WordRank(lee, vector_size=8, epochs=1).wv
    write_projector(wv, tmp_path)
    config = (tmp_path / "projector_config.pbtxt").read_text()
    fields = dict(re.findall(r'^  (\w+): "(.*)"$', config, re.MULTILINE))
    assert re.fullmatch(r'embeddings \{\n(  \w+: ".*"\n)+\}\n', config)  # as protobuf's text format has it
    assert fields.keys() == {"tensor_path", "metadata_path"}
    np.testing.assert_allclose(np.loadtxt(tmp_path / fields["tensor_path"], delimiter="\t"), wv.vectors, rtol=1e-5)
    assert (tmp_path / fields["metadata_path"]).read_text().splitlines() == wv.index_to_key
