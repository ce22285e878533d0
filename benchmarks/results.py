"""Make every table and picture of docs/results, and the README's table, from one file of runs.

    python benchmarks/results.py run --tuning TEXT --large TEXT --evaluation DIR --work DIR [--only PATTERN...]
    python benchmarks/results.py pages

`run` trains and scores what the plan (bench/plan.py) has and benchmarks/results/runs.jsonl has not, one run after
another on one thread, and adds a line per run. Interrupt it and call it again. Runs that the plan no longer has, such
as those with older defaults, are removed. `pages` writes the pages from the file alone.

TEXT has one paragraph per line. The directory of test sets holds similarity sets (word, word, rating), Google's
analogies, BATS, and two tasks: a treebank in CoNLL-U and labelled documents; bench/scoring.py names the files.
"""

from __future__ import annotations

import argparse
import shutil
from fnmatch import fnmatch
from pathlib import Path

from bench import differences, groups, pages, plan, runs, scoring
from bench.texts import Texts
from gensim_wordrank.plots import Document, Figure, Image, save
from gensim_wordrank.plots.documents import Block

FOLDER = Path(__file__).parent / "results"
PAGES = Path(__file__).parents[1] / "docs" / "results"
README = Path(__file__).parents[1] / "README.md"


def run(options: argparse.Namespace) -> None:
    """Train and score what is missing; the files are complete after every run."""
    texts = Texts(options.tuning.absolute(), options.large.absolute(), options.work / "texts")
    trained, file = options.work / "trained", options.results / "runs.jsonl"
    trained.mkdir(parents=True, exist_ok=True)
    runs.write(trained / "words.txt", "\n".join(scoring.words_asked(options.evaluation)) + "\n")
    planned = {wanted.id: wanted for wanted in plan.runs()}
    for name, wanted in planned.items():
        if name in runs.read(file) or not any(fnmatch(name, pattern) for pattern in options.only):
            continue
        record = scoring.score(runs.train(wanted, texts, trained), trained, options.evaluation)
        found = runs.read(file) | {name: record}
        runs.store((found[known] for known in planned if known in found), file)
        if record["trainer"] != "wordrank":  # these take hours, so that their outcomes are kept for later comparisons
            (options.results / "outcomes").mkdir(exist_ok=True)
            shutil.copy(trained / f"{name}.outcomes.npz", options.results / "outcomes")
        scores = {score: record["scores"][score] for score in ("WS-353", "MEN", "Google")}
        print(name, f"{record['cpu_seconds']:.0f} s", scores, flush=True)
    found = runs.read(file)
    runs.store((found[known] for known in planned if known in found), file)
    compare(options, trained)


def compare(options: argparse.Namespace, trained: Path) -> None:
    """Make the comparisons of the plan whose runs are there, and write them."""
    records = list(runs.read(options.results / "runs.jsonl").values())
    known, places = runs.read(options.results / "leads.jsonl"), (trained, options.results / "outcomes")
    found = {}
    for ours, theirs in plan.comparisons(records):
        name = differences.name_of(ours, theirs)
        found[name] = known.get(name) or differences.compare(ours, theirs, places, options.evaluation)
    runs.store(found.values(), options.results / "leads.jsonl")


def write_pages(options: argparse.Namespace) -> None:
    """Write all pages."""
    records = list(runs.read(options.results / "runs.jsonl").values())
    ids = {record["id"] for record in records}
    known = runs.read(options.results / "leads.jsonl").values()
    leads = [lead for lead in known if ids.issuperset(lead["ours"] + lead["theirs"])]  # others are older than the runs
    for name, document in pages.all_pages(records, leads).items():
        save_page(document, options.pages / name)
    shown = pages.readme_text(records)
    save(pages.quality_figure(shown, groups.on(records, shown)), options.pages / "quality.png")
    readme = options.readme.read_text(encoding="utf-8")
    runs.write(options.readme, pages.with_table(readme, pages.readme_table(records)))


def save_page(document: Document, path: Path) -> None:
    """Write a page, and its figures to files whose names stay the same when the page is written again."""
    blocks: list[Block] = []
    for block in document.blocks:
        if isinstance(block, Figure):
            number = sum(isinstance(each, Image) for each in blocks) + 1
            image = Image(block.title, f"{path.stem}-{number}.png")
            save(block, path.with_name(image.name))
            blocks.append(image)
        else:
            blocks.append(block)
    save(Document(document.title, blocks), path)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    result = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument(
        "--results", type=Path, default=FOLDER, help="directory of the file of runs (default: %(default)s)"
    )
    commands = result.add_subparsers(required=True)
    command = commands.add_parser("run", help="train and score the runs that are missing")
    command.add_argument("--tuning", type=Path, required=True, help="the text on which defaults were chosen")
    command.add_argument(
        "--large", type=Path, required=True, help="a larger text; what is not in the other is held out"
    )
    command.add_argument("--evaluation", type=Path, required=True, help="directory of the test sets")
    command.add_argument("--work", type=Path, required=True, help="directory for texts and vectors")
    command.add_argument("--only", nargs="+", default=["*"], help="patterns of the names of runs, such as 'glove-*'")
    command.set_defaults(function=run)
    command = commands.add_parser("pages", help="write the pages")
    command.add_argument("--pages", type=Path, default=PAGES, help="where they are written (default: docs/results)")
    command.add_argument("--readme", type=Path, default=README, help="whose table is replaced (default: %(default)s)")
    command.set_defaults(function=write_pages)
    return result


def main() -> None:
    """Do what the command line says."""
    options = parser().parse_args()
    options.results.mkdir(exist_ok=True)
    options.function(options)


if __name__ == "__main__":
    main()
