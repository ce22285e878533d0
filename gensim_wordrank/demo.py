"""Train on the Lee corpus that comes with gensim, and show neighbours, a score and a map of words.

Run it with ``python -m gensim_wordrank.demo [DIRECTORY]``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter

import click
from gensim.test.utils import datapath
from gensim.utils import simple_preprocess
from smart_open import open as open_text

from gensim_wordrank.model import WordRank
from gensim_wordrank.plots import save, word_map

WORDS = ("government", "australia", "israeli", "cricket", "bombing")


def lee_corpus() -> list[list[str]]:
    """Return the 300 news stories of the Lee corpus as token lists."""
    with open_text(datapath("lee_background.cor"), encoding="utf-8") as lines:
        return [simple_preprocess(line) for line in lines]


def main(directory: Path) -> None:
    """Train, print results, and write files to `directory`."""
    sentences = lee_corpus()
    click.echo(f"The Lee corpus: {len(sentences)} stories, {sum(map(len, sentences))} words.")
    started = perf_counter()
    model = WordRank(sentences, progress=True)
    click.echo(f"Trained {len(model.wv)} vectors in {perf_counter() - started:.1f} s.")
    for epoch, loss in enumerate(model.training_losses, 1):
        click.echo(f"epoch {epoch:3}   loss {loss:.6g}")

    click.echo()
    wv = model.vectors("word", "centred")
    for word in WORDS:
        click.echo(f"{word:12} {', '.join(near for near, _ in wv.most_similar(word, topn=7))}")
    _, spearman, unknown = wv.evaluate_word_pairs(datapath("wordsim353.tsv"), dummy4unknown=True)
    note = f"{unknown:.0f}% of the pairs have an unknown word (score 0)"
    click.echo(f"\nWordSim-353: Spearman {100 * spearman[0]:.1f}, {note}.")

    directory.mkdir(parents=True, exist_ok=True)
    model.save(directory / "lee.model")
    model.wv.save_word2vec_format(str(directory / "lee-vectors.txt"))
    figure = word_map(wv, wv.index_to_key[50:250])
    for name in ("words.png", "words.html"):
        save(figure, directory / name)
    click.echo(f"Wrote {', '.join(str(file) for file in sorted(directory.iterdir()))}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
