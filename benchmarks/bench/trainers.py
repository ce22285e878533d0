"""Train one model from a text on disk and keep its vectors, in a process of its own, so that its cost is its own.

    python -m bench.trainers TRAINER TEXT OUT PARAMETERS

TRAINER is wordrank, word2vec, fasttext, glove or ppmi_svd; PARAMETERS is JSON. Writes OUT, an .npz file with the words,
their counts, u and, if there are any, v, and prints the cost. All trainers have one thread.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

# words, their counts, and arrays of vectors by name: u, v if the trainer has context vectors, and, for trainers that
# know unknown words, those of the words in the file "words.txt" beside OUT: "unknown" and "unknown_u"
Trained = tuple[list[str], np.ndarray, dict[str, np.ndarray]]


def wordrank(text: Path, parameters: dict[str, Any], asked: list[str]) -> Trained:
    """Train this package's model."""
    from gensim_wordrank import WordRank

    model = WordRank(corpus_file=text, workers=1, **parameters)
    vectors = {"u": model.wv.vectors, "v": model.context_vectors}
    if model.subwords:
        # similarity by u, analogies by the improved sum: v is what makes it
        vectors["v"] = model.vectors("sum").vectors - model.wv.vectors
        vectors |= _unknown(asked, model.wv.key_to_index, lambda word: model.vector(word))
    return model.wv.index_to_key, model.wv.expandos["count"], vectors


def word2vec(text: Path, parameters: dict[str, Any], asked: list[str]) -> Trained:
    """Train gensim's Word2Vec."""
    from gensim.models import Word2Vec

    model = Word2Vec(corpus_file=str(text), workers=1, **parameters)
    return model.wv.index_to_key, model.wv.expandos["count"], {"u": model.wv.vectors, "v": model.syn1neg}


def fasttext(text: Path, parameters: dict[str, Any], asked: list[str]) -> Trained:
    """Train fastText with its n-grams (`pip install fasttext-wheel`)."""
    import fasttext as program

    model = program.train_unsupervised(str(text), thread=1, verbose=0, **parameters)
    words, counts = model.get_words(include_freq=True)
    kept = [i for i, word in enumerate(words) if word != "</s>"]
    known = [words[i] for i in kept]
    u = np.array([model.get_word_vector(word) for word in known], np.float32)
    unknown = _unknown(asked, set(known), model.get_word_vector)
    return known, np.asarray(counts)[kept], {"u": u, **unknown}


def _unknown(asked: list[str], known: Any, vector: Callable[[str], np.ndarray]) -> dict[str, np.ndarray]:
    """Return the vectors of unknown words, for trainers that have them."""
    words, rows = [], []
    for word in sorted(set(asked).difference(known)):
        try:
            rows.append(vector(word))
        except KeyError:  # none of its n-grams is known
            continue
        words.append(word)
    return {"unknown": np.array(words), "unknown_u": np.array(rows, np.float32)}


def glove(text: Path, parameters: dict[str, Any], asked: list[str]) -> Trained:
    """Run the four programs of GloVe, which must be on the PATH."""
    size, seed = parameters["vector_size"], parameters["seed"]
    with tempfile.TemporaryDirectory(dir=text.parent) as scratch:
        run = f"""
            vocab_count -min-count {parameters["min_count"]} -max-vocab {parameters.get("max_vocab", 0)} -verbose 0 \
                < {text} > vocab.txt
            cooccur -vocab-file vocab.txt -window-size {parameters["window"]} -memory 8 -verbose 0 < {text} > pairs.bin
            shuffle -memory 8 -seed {seed} -verbose 0 < pairs.bin > shuffled.bin
            glove -input-file shuffled.bin -vocab-file vocab.txt -save-file vectors -vector-size {size} \
                -iter {parameters["iter"]} -x-max {parameters["x_max"]} -threads 1 -seed {seed} -model 0 -binary 0 \
                -verbose 0
        """
        subprocess.run(["bash", "-euc", run], cwd=scratch, check=True, capture_output=True)
        counts = dict(line.split() for line in Path(scratch, "vocab.txt").read_text().splitlines())
        words, rows = [], []
        with Path(scratch, "vectors.txt").open() as lines:
            for line in lines:
                word, *numbers = line.split()
                if word in counts:  # GloVe adds <unk> for all unknown words
                    words.append(word)
                    rows.append(np.array(numbers, np.float32))
    both = np.stack(rows)  # word vector, its bias, context vector, its bias
    of_words = np.array([int(counts[word]) for word in words])
    return words, of_words, {"u": both[:, :size], "v": both[:, size + 1 : 2 * size + 1]}


def ppmi_svd(text: Path, parameters: dict[str, Any], asked: list[str]) -> Trained:
    """Factorize the positive PMI of smoothed contexts by a truncated SVD (Levy, Goldberg and Dagan, 2015)."""
    from gensim_wordrank import Cooccurrence
    from sklearn.utils.extmath import randomized_svd

    counts = Cooccurrence.from_corpus(
        corpus_file=text,
        window=parameters["window"],
        min_count=parameters["min_count"],
        max_final_vocab=parameters.get("max_final_vocab"),
        workers=1,
    )
    matrix = counts.matrix.astype(np.float32)
    of_words = np.asarray(matrix.sum(axis=1), np.float64).ravel()
    smoothed = np.asarray(matrix.sum(axis=0), np.float64).ravel() ** parameters["smoothing"]
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    pmi = np.log(matrix.data) + np.log(smoothed.sum()) - np.log(of_words)[rows] - np.log(smoothed)[matrix.indices]
    matrix.data = np.maximum(pmi, 0).astype(np.float32)
    matrix.eliminate_zeros()
    left, values, right = randomized_svd(matrix, parameters["vector_size"], random_state=parameters["seed"])
    scale = values ** parameters["eigenvalue_weighting"]
    return counts.words, np.asarray(counts.counts), {"u": left * scale, "v": right.T * scale}


TRAINERS = {"wordrank": wordrank, "word2vec": word2vec, "fasttext": fasttext, "glove": glove, "ppmi_svd": ppmi_svd}


def cost() -> dict[str, float]:
    """Return processor seconds and the peak of memory: of this process, or of GloVe's programs."""
    programs = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = resource.getrusage(resource.RUSAGE_SELF)
    cpu = sum(usage.ru_utime + usage.ru_stime for usage in (own, programs))
    # not getrusage, whose peak begins with that of the parent
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(line.split()[1] for line in status if line.startswith("VmHWM"))
    return {"cpu_seconds": round(cpu, 2), "peak_mib": round(max(int(peak), programs.ru_maxrss) / 1024, 1)}


def main() -> None:
    """Train, save, and print the cost of the whole call, from text on disk to vectors."""
    trainer, text, out, parameters = sys.argv[1:]
    asked = Path(out).with_name("words.txt").read_text().split()
    started = perf_counter()
    words, counts, vectors = TRAINERS[trainer](Path(text).resolve(), json.loads(parameters), asked)
    taken = {"seconds": round(perf_counter() - started, 2), **cost()}
    np.savez(out, words=np.array(words), counts=counts, **vectors)
    package = {"wordrank": "gensim-wordrank", "word2vec": "gensim", "fasttext": "fasttext-wheel"}.get(trainer)
    print(json.dumps(taken | ({"trainer_version": version(package)} if package else {})))


if __name__ == "__main__":
    main()
