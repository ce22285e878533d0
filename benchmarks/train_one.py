"""Train one model from a text on disk and save its vectors: one process, so that time and memory are its own.

python benchmarks/train_one.py NAME TEXT OUT EPOCHS SEED WORKERS, where NAME is wordrank, word2vec or glove.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

SIZE, WINDOW, MIN_COUNT = 100, 15, 5
Trained = tuple[list[str], np.ndarray, np.ndarray | None]


def wordrank(text: Path, epochs: int, seed: int, workers: int) -> Trained:
    """Train ours with its defaults."""
    from gensim_wordrank import WordRank

    model = WordRank(
        corpus_file=text,
        vector_size=SIZE,
        window=WINDOW,
        min_count=MIN_COUNT,
        epochs=epochs,
        seed=seed,
        workers=workers,
    )
    return model.wv.index_to_key, model.wv.vectors, model.context_vectors


def word2vec(text: Path, epochs: int, seed: int, workers: int) -> Trained:
    """Train gensim's skip-gram with five negative samples."""
    from gensim.models import Word2Vec

    model = Word2Vec(
        corpus_file=str(text), vector_size=SIZE, window=WINDOW, min_count=MIN_COUNT, epochs=epochs, seed=seed,
        workers=workers, sg=1, negative=5,
    )  # fmt: skip
    return model.wv.index_to_key, model.wv.vectors, None


def glove(text: Path, epochs: int, seed: int, workers: int) -> Trained:
    """Run the four programs of GloVe, which must be on the PATH, with their usual parameters."""
    with tempfile.TemporaryDirectory(dir=text.parent) as scratch:
        run = f"""
            vocab_count -min-count {MIN_COUNT} -verbose 0 < {text} > vocab.txt
            cooccur -vocab-file vocab.txt -window-size {WINDOW} -memory 8 -verbose 0 < {text} > pairs.bin
            shuffle -memory 8 -seed {seed} -verbose 0 < pairs.bin > shuffled.bin
            glove -input-file shuffled.bin -vocab-file vocab.txt -save-file vectors -vector-size {SIZE} -iter {epochs} \
                -x-max 100 -threads {workers} -seed {seed} -model 0 -binary 0 -verbose 0
        """
        subprocess.run(["bash", "-euc", run], cwd=scratch, check=True, capture_output=True)
        words, rows = [], []
        with Path(scratch, "vectors.txt").open() as lines:
            for line in lines:
                word, *numbers = line.split()
                words.append(word)
                rows.append(np.array(numbers, np.float32))
    both = np.stack(rows)  # word vector, its bias, context vector, its bias
    return words, both[:, :SIZE], both[:, SIZE + 1 : 2 * SIZE + 1]


def main() -> None:
    """Train, save, and print the seconds of the whole call."""
    name, text, out, epochs, seed, workers = sys.argv[1:]
    started = perf_counter()
    words, u, v = {"wordrank": wordrank, "word2vec": word2vec, "glove": glove}[name](
        Path(text).resolve(), int(epochs), int(seed), int(workers)
    )
    seconds = perf_counter() - started
    np.savez(out, words=np.array(words), u=u, **({} if v is None else {"v": v}))
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
