"""Train one model from a text on disk and save its vectors: one process, so that time and memory are its own.

    python benchmarks/train_one.py NAME TEXT OUT WORKERS PARAMETERS

NAME is wordrank, word2vec or glove. PARAMETERS is JSON, by gensim's names: vector_size, window, min_count, epochs, seed
and, if wanted, max_final_vocab; for wordrank and word2vec also others of theirs.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

# words, their counts, u and, if there is, v
Trained = tuple[list[str], np.ndarray, np.ndarray, np.ndarray | None]


def wordrank(text: Path, workers: int, parameters: dict[str, Any]) -> Trained:
    """Train ours, with its defaults but for the parameters."""
    from gensim_wordrank import WordRank

    model = WordRank(corpus_file=text, workers=workers, **parameters)
    return model.wv.index_to_key, model.wv.expandos["count"], model.wv.vectors, model.context_vectors


def word2vec(text: Path, workers: int, parameters: dict[str, Any]) -> Trained:
    """Train gensim's skip-gram with five negative samples."""
    from gensim.models import Word2Vec

    model = Word2Vec(corpus_file=str(text), workers=workers, sg=1, negative=5, **parameters)
    return model.wv.index_to_key, model.wv.expandos["count"], model.wv.vectors, None


def glove(text: Path, workers: int, parameters: dict[str, Any]) -> Trained:
    """Run the four programs of GloVe, which must be on the PATH, with their usual parameters."""
    size, seed = parameters["vector_size"], parameters["seed"]
    most = parameters.get("max_final_vocab") or 0  # 0: all words
    with tempfile.TemporaryDirectory(dir=text.parent) as scratch:
        run = f"""
            vocab_count -min-count {parameters["min_count"]} -max-vocab {most} -verbose 0 < {text} > vocab.txt
            cooccur -vocab-file vocab.txt -window-size {parameters["window"]} -memory 8 -verbose 0 < {text} > pairs.bin
            shuffle -memory 8 -seed {seed} -verbose 0 < pairs.bin > shuffled.bin
            glove -input-file shuffled.bin -vocab-file vocab.txt -save-file vectors -vector-size {size} \
                -iter {parameters["epochs"]} -x-max 100 -threads {workers} -seed {seed} -model 0 -binary 0 -verbose 0
        """
        subprocess.run(["bash", "-euc", run], cwd=scratch, check=True, capture_output=True)
        counts = dict(line.split() for line in Path(scratch, "vocab.txt").read_text().splitlines())
        words, rows = [], []
        with Path(scratch, "vectors.txt").open() as lines:
            for line in lines:
                word, *numbers = line.split()
                words.append(word)
                rows.append(np.array(numbers, np.float32))
    both = np.stack(rows)  # word vector, its bias, context vector, its bias
    # GloVe adds a word for all unknown ones
    of_words = np.array([int(counts.get(word, 0)) for word in words])
    return words, of_words, both[:, :size], both[:, size + 1 : 2 * size + 1]


def cost() -> dict[str, float]:
    """Return processor seconds and the peak of memory: of this process, or of GloVe's programs."""
    programs = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = resource.getrusage(resource.RUSAGE_SELF)
    cpu = sum(usage.ru_utime + usage.ru_stime for usage in (own, programs))
    # not getrusage, whose peak begins with that of the parent
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(line.split()[1] for line in status if line.startswith("VmHWM"))
    return {"cpu seconds": cpu, "peak MiB": max(int(peak), programs.ru_maxrss) / 1024}


def main() -> None:
    """Train, save, and print the seconds of the whole call and what it took."""
    name, text, out, workers, parameters = sys.argv[1:]
    started = perf_counter()
    words, counts, u, v = {"wordrank": wordrank, "word2vec": word2vec, "glove": glove}[name](
        Path(text).resolve(), int(workers), json.loads(parameters)
    )
    taken = {"seconds": perf_counter() - started, **cost()}
    np.savez(out, words=np.array(words), counts=counts, u=u, **({} if v is None else {"v": v}))
    print(json.dumps(taken))


if __name__ == "__main__":
    main()
