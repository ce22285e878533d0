"""blog posts: `df.groupby("order")["product"].agg(list)` with numbers as words, and `similar_by_vector`."""

import pandas
import tasks
from gensim.models import Word2Vec


def run():
    """Recommend an item for the rest of a basket."""
    rows = [(order, item) for order, basket in enumerate(tasks.baskets()[:3000]) for item in basket]
    orders = pandas.DataFrame(rows, columns=["order", "product"]).groupby("order")["product"].agg(list)
    model = Word2Vec(window=10, sg=1, hs=0, negative=10, alpha=0.03, min_alpha=0.0007, seed=14)
    model.build_vocab(orders, progress_per=200)
    model.train(orders, total_examples=model.corpus_count, epochs=10, report_delay=1)
    model.init_sims(replace=True)
    hits, tested = 0, tasks.baskets()[3000:]
    for *known, last in tested:
        mean = sum(model.wv[item] for item in known if item in model.wv)
        found = [item for item, _ in model.wv.similar_by_vector(mean, topn=10 + len(known)) if item not in known]
        hits += last in found[:10]
    return "recall@10", 100 * hits / len(tested)
