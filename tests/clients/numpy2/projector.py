"""TensorBoard's projector: `gensim.scripts.word2vec2tensor` and tensorboardX's `add_embedding`."""

import tempfile
from pathlib import Path

import tasks
from gensim.models import Word2Vec
from gensim.scripts.word2vec2tensor import word2vec2tensor
from tensorboardX import SummaryWriter


def run():
    """Count the words whose vectors arrive."""
    model = Word2Vec(tasks.lee(), vector_size=50, min_count=5)
    with tempfile.TemporaryDirectory() as directory:
        model.wv.save_word2vec_format(f"{directory}/vectors.txt")
        word2vec2tensor(f"{directory}/vectors.txt", f"{directory}/projector")
        with SummaryWriter(f"{directory}/logs") as writer:
            writer.add_embedding(model.wv.vectors, metadata=model.wv.index_to_key)
        rows = len(Path(f"{directory}/projector_tensor.tsv").read_text().splitlines())
        files = list(Path(directory, "logs").rglob("tensors.tsv"))
        rows += sum(len(file.read_text().splitlines()) for file in files)
    return "words", 50 * rows / len(model.wv)
