"""Train on 106 Wikipedia articles that come with gensim; print neighbours, analogies and scores, and draw maps.

Run it with ``wordrank demo [DIRECTORY]`` or ``python -m gensim_wordrank.demo [DIRECTORY]``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter

import click
from gensim.corpora import WikiCorpus
from gensim.test.utils import datapath

from gensim_wordrank import plots
from gensim_wordrank.evaluation import LoadedModel, Score, bundled_sets, evaluate
from gensim_wordrank.evaluation.load import describe
from gensim_wordrank.model import WordRank

ARTICLES = datapath("enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2")
WORDS = ("physics", "war", "music", "aristotle", "lincoln", "moon", "alabama", "agriculture")
# chosen because they come out right: the scores say how many of all do
ANALOGIES = (("greece", "greek", "italy"), ("france", "french", "germany"), ("two", "second", "three"))
MAPPED_WORDS, MAP_NEIGHBOURS = WORDS[:5], 15


def wikipedia_articles() -> list[list[str]]:
    """Return the words of each article."""
    return list(WikiCorpus(ARTICLES, dictionary={}, processes=1).get_texts())


def main(directory: Path) -> None:
    """Train, print results, and write files to `directory`."""
    started = perf_counter()
    click.echo("Reading 106 Wikipedia articles that come with gensim")
    articles = wikipedia_articles()
    click.echo(f"Training on {sum(map(len, articles)):,} words, on one thread")
    training_started = perf_counter()
    model = WordRank(articles, workers=1, progress=sys.stderr.isatty())
    click.echo(f"Trained vectors of {len(model.wv):,} words in {perf_counter() - training_started:.1f} s")

    click.echo("\nNearest words")
    for word in WORDS:
        click.echo(f"  {word:12} {', '.join(near for near, _ in model.wv.most_similar(word, topn=5))}")
    click.echo("\nAnalogies")
    sums = model.vectors("sum")
    for a, b, c in ANALOGIES:
        (answer, _), *_ = sums.most_similar(positive=[b, c], negative=[a], topn=1)
        click.echo(f"  {a} is to {b} as {c} is to {answer}")
    click.echo("\nScores on the items whose words are all known")
    scores = evaluate(model.wv, bundled_sets(), sums, unknown="skip")
    for score in scores:
        click.echo(_format_score(score))
    click.echo("This text is small: expect much better scores from a million words and more.")

    directory.mkdir(parents=True, exist_ok=True)
    model.save(directory / "wikipedia.model", format="safetensors")
    written = [directory / "wikipedia.model"]
    try:
        written += _draw(model, scores, directory)
    except ImportError as error:  # the plotting libraries are optional
        click.echo(f"\n{error}", err=True)
    click.echo(f"\nWrote {', '.join(map(str, written))}")
    click.echo(f"after {perf_counter() - started:.0f} s. Open the .html files in a browser. More neighbours:")
    click.echo(f"  wordrank similar {directory / 'wikipedia.model'} philosophy river")


def _format_score(score: Score) -> str:
    measure = "% correct" if score.kind == "analogy" else "100 x Spearman"
    known = f"{len(score.items):,} of {len(score.known):,} items, {100 * score.unknown_share:.0f}% unknown"
    return f"  {score.name:16} {100 * score.value:5.1f}  {measure:14}  {known}"


def _draw(model: WordRank, scores: list[Score], directory: Path) -> list[Path]:
    """Write a map of words as an image and a page, and a report; return their names."""
    figure = plots.word_map(model.wv, MAPPED_WORDS, MAP_NEIGHBOURS)
    loaded = LoadedModel("wikipedia.model", model.wv, model.vectors, model.training_losses, describe(model))
    report = plots.model_report([loaded], [scores], MAPPED_WORDS)
    contents: dict[str, plots.Figure | plots.Document] = {"words.png": figure, "words.html": figure}
    contents["report.html"] = report
    for name, content in contents.items():
        plots.save(content, directory / name)
    return [directory / name for name in contents]


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
