"""gensim's tutorial on Word2Vec: an iterable class, default arguments, save, load, more training, most_similar."""

import tempfile

import gensim.models
import tasks


class MyCorpus:
    """An iterable that yields sentences, as in the tutorial."""

    def __iter__(self):
        yield from tasks.sentences()


def run():
    """Compare with judgements of the similarity of words."""
    model = gensim.models.Word2Vec(sentences=MyCorpus())
    for i, word in enumerate(model.wv.index_to_key):
        if i == 10:
            break
        assert len(model.wv[word]) == 100
    with tempfile.NamedTemporaryFile(prefix="gensim-model-") as tmp:
        model.save(tmp.name)
        model = gensim.models.Word2Vec.load(tmp.name)
    more = [["advanced", "users", "can", "load", "a", "model", "and", "continue", "training", "it"]]
    model.build_vocab(more, update=True)
    model.train(more, total_examples=model.corpus_count, epochs=model.epochs)
    assert len(model.wv.most_similar(positive=["war", "army"], topn=5)) == 5
    assert model.wv.doesnt_match(["physics", "chemistry", "music"])
    return "WordSim-353", tasks.word_pairs(model.wv)
