"""Pictures of word vectors. Takes any KeyedVectors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from gensim.models import KeyedVectors
from threadpoolctl import threadpool_limits

from gensim_wordrank import files


def _need_libraries() -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure
        from sklearn.manifold import TSNE
    except ImportError as error:
        raise ImportError(
            f"Pictures need {error.name}, which is not installed. Run: pip install 'gensim-wordrank[plot]'"
        ) from error
    return Figure, TSNE


def plot_words(keyed: KeyedVectors, words: Sequence[str], path: str | os.PathLike[str], seed: int = 1) -> None:
    """Write a picture of the words in the plane, near where their vectors are near (t-SNE of cosine distance).

    Parameters
    ----------
    keyed : KeyedVectors
        Vectors of any model.
    words : sequence of str
        At least three words that `keyed` knows.
    path : str or path
        A file name ending in .png, .svg or .pdf.
    seed : int
        Of t-SNE.
    """
    Figure, TSNE = _need_libraries()
    if len(words) < 3:
        raise ValueError(f"'words' must hold at least three words. Got {len(words)} instead.")
    vectors = np.stack([keyed.get_vector(word, norm=True) for word in words])
    tsne = TSNE(metric="cosine", init="random", perplexity=min(15.0, (len(words) - 1) / 3), random_state=seed)
    with threadpool_limits(limits=1):  # a few hundred points: threads would only wait for each other
        places = tsne.fit_transform(vectors)
    figure = Figure(figsize=(12, 9), layout="constrained")
    axes = figure.add_subplot()
    axes.scatter(*places.T, s=8, color="tab:blue")
    for word, place in zip(words, places, strict=True):
        axes.annotate(word, place, xytext=(3, 3), textcoords="offset points", fontsize=9)
    axes.set_axis_off()
    files.replace_whole(path, lambda name: figure.savefig(name, dpi=120))
