"""Classify texts with scikit-learn, and tell passages about people from others.

    python classify_texts.py

The labels come from the categories of the articles. Test passages are from other articles than training passages. The
vectors are trained on all passages, since they need no labels. The script prints the balanced accuracy of three
classifiers: one that ignores the text, one with TF-IDF, and one with WordRank vectors.
"""

import bz2
import re

from gensim.corpora.wikicorpus import extract_pages, filter_wiki, tokenize
from gensim.test.utils import datapath
from gensim_wordrank.sklearn import WordRankVectorizer
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline

DUMP = datapath("enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2")


def read_passages() -> tuple[list[list[str]], list[bool], list[str]]:
    """Return passages of 50 words or more, whether each is about a person, and the title of its article."""
    passages, labels, titles = [], [], []
    with bz2.open(DUMP, "rb") as dump:
        for title, markup, _ in extract_pages(dump, ("0",)):
            is_person = bool(re.search(r"\[\[Category:[^]]* (births|deaths)", markup))
            for section in re.split(r"\n=+[^=\n]+=+ *\n", markup):
                words = tokenize(filter_wiki(section), 2, 15, lower=True)
                if len(words) >= 50:
                    passages.append(words)
                    labels.append(is_person)
                    titles.append(title)
    return passages, labels, titles


def main() -> None:
    """Print the balanced accuracy of each classifier: 50% is chance."""
    passages, labels, titles = read_passages()
    print(f"{len(passages)} passages, {sum(labels)} of them about a person")
    vectors = WordRankVectorizer().fit(passages)
    linear = LogisticRegression(class_weight="balanced", max_iter=1000)
    classifiers = {
        "most frequent label": DummyClassifier(),
        "TF-IDF": make_pipeline(TfidfVectorizer(analyzer=list, min_df=2, sublinear_tf=True), clone(linear)),
        "WordRank": linear,
    }
    folds = StratifiedGroupKFold(n_splits=5)
    for name, classifier in classifiers.items():
        features = vectors.transform(passages) if name == "WordRank" else passages
        scores = cross_val_score(classifier, features, labels, groups=titles, cv=folds, scoring="balanced_accuracy")
        print(f"{name:20} {100 * scores.mean():5.1f}%")


if __name__ == "__main__":
    main()
