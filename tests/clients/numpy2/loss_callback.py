"""blog posts: a callback that prints the differences of `get_latest_training_loss()`, with `compute_loss=True`."""

import tasks
from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec


class LossLogger(CallbackAny2Vec):
    """Print the loss of each epoch."""

    def __init__(self):
        self.epoch, self.previous = 0, 0.0

    def on_epoch_end(self, model):
        """Print the loss."""
        loss = model.get_latest_training_loss()
        print(f"Loss after epoch {self.epoch}: {loss - self.previous}")
        self.previous = loss
        self.epoch += 1


def run():
    """Compare with judgements of the similarity of words; all arguments are given, with Word2Vec's defaults."""
    model = Word2Vec(
        sentences=tasks.sentences(), vector_size=100, alpha=0.025, window=5, min_count=5, sample=0.001, workers=2,
        min_alpha=0.0001, sg=1, hs=0, negative=5, epochs=5, compute_loss=True, callbacks=[LossLogger()],
    )  # fmt: skip
    return "WordSim-353", tasks.word_pairs(model.wv)
