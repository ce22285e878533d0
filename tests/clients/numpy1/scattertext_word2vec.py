"""scattertext: `Word2VecFromParsedCorpus(corpus).train()`, which passes an iterator and asks for 2,000 epochs."""

import tasks
from scattertext import CorpusFromParsedDocuments, SampleCorpora, whitespace_nlp_with_sentences
from scattertext.representations.Word2VecFromParsedCorpus import CorpusAdapterForGensim, Word2VecFromParsedCorpus


def run():
    """Tell the party from passages of the convention speeches that come with scattertext."""
    speeches = SampleCorpora.ConventionData2012.get_data()
    speeches["parse"] = speeches["text"].apply(whitespace_nlp_with_sentences)
    corpus = CorpusFromParsedDocuments(speeches, category_col="party", parsed_col="parse").build()
    model = Word2VecFromParsedCorpus(corpus).train()
    texts, labels = [], []
    for _, party in speeches.groupby("party"):
        words = [word for each in CorpusAdapterForGensim.get_sentences(CorpusOf(party["parse"])) for word in each]
        passages = [words[start : start + 60] for start in range(0, len(words) - 60, 60)][:300]
        texts += passages
        labels += [len(labels) > 0] * len(passages)
    return "passage accuracy", tasks.accuracy(tasks.mean_vectors(texts, model.wv), labels)


class CorpusOf:
    """The documents of one party, for scattertext's own reader of sentences."""

    def __init__(self, documents):
        self.get_parsed_docs = lambda: documents
