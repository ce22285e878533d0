"""Export vectors in fewer bytes, and read them with safetensors and NumPy alone.

    python smaller_vectors.py [TEXT]

TEXT has one sentence per line. Without it, the 300 news stories that come with gensim are used.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from gensim.test.utils import datapath
from gensim_wordrank import WordRank, quantized


def read(path: Path) -> tuple[list[str], np.ndarray]:
    """Return the words and vectors of an int8 file. This function needs only safetensors and NumPy."""
    from safetensors.numpy import load_file

    tensors = load_file(path)
    return json.loads(tensors["words"].tobytes()), tensors["vectors"] * tensors["scales"][:, None]


def main() -> None:
    """Train, export in all ways, and read a file without gensim_wordrank."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", nargs="?", default=datapath("lee_background.cor"))
    options = parser.parse_args()
    model = WordRank(corpus_file=options.text)
    print(f"float32: {model.wv.vectors.nbytes} bytes")
    for how in quantized.Quantization:
        path = Path(f"vectors.{how.value}.safetensors")
        loss = quantized.save(model.wv, path, how.value)
        print(f"{how.value}: {path.stat().st_size} bytes, {loss.neighbours:.0%} of the ten nearest words stay")
    try:
        words, vectors = read(Path("vectors.int8.safetensors"))
    except ImportError:
        print("To read a file without gensim_wordrank: pip install safetensors")
        return
    print(len(words), "words, as many as vectors:", len(words) == len(vectors) == len(model.wv))


if __name__ == "__main__":
    main()
