"""The tables and figures of the paper, by one command each.

    python benchmarks/reproduce.py table2 TEXT --evaluation DIR --work DIR --out DIR

table2       RobiRank and the four rank losses, weights off and on: WS-353 and Google
scale        Word2Vec, GloVe and WordRank on growing texts: Figure 2 and its table (--tokens N...)
table3       the same three on one text: six similarity sets, Google semantic and syntactic
robustness   the same three on small texts (--tokens N...), and with tokens replaced by random ones
orderings    whether what the paper says holds, of all runs in --work
figure1      the rank losses
figure3      neighbours of "cat" in a MODEL that `wordrank train` wrote

Each writes NAME.md with its pictures and, where there are runs, NAME.csv (orderings: runs.csv) with a row a run
into the directory --out.

Of several TEXTs, each size is taken from the first that has as many tokens; a text has one sentence a line and may be
compressed. A finished run is a file in the directory --work, and is not run again: break a command off and call it
again, or let several work on one directory. --trainers says which of wordrank, word2vec and glove are run now; the
tables show all that were run before. Without a name after it, nothing is run.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gensim_wordrank.evaluation import load_model
from gensim_wordrank.plots import save
from paper import pages, plans, runs, summaries

SCALE = [17_005_207, 32_000_000, 64_000_000]
SMALL = [1_000_000, 2_000_000, 4_000_000, 8_000_000]


def parser() -> argparse.ArgumentParser:
    """Return what is understood."""
    result = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = result.add_subparsers(dest="command", required=True)
    written = argparse.ArgumentParser(add_help=False)
    written.add_argument("--out", type=Path, required=True, help="directory of tables and pictures")
    stored = argparse.ArgumentParser(add_help=False, parents=[written])
    stored.add_argument("--work", type=Path, required=True, help="directory of finished runs, and of their texts")
    stored.add_argument("--epochs", type=int, default=plans.WORDRANK_EPOCHS, help="of WordRank")
    trained = argparse.ArgumentParser(add_help=False, parents=[stored])
    trained.add_argument("texts", type=Path, nargs="+", metavar="TEXT")
    trained.add_argument("--evaluation", type=Path, required=True, help="directory of the test sets")
    trained.add_argument("--trainers", nargs="*", choices=plans.TRAINERS, default=plans.TRAINERS)
    trained.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    trained.add_argument("--workers", type=int, default=2)
    for name in ("table2", "table3"):
        commands.add_parser(name, parents=[trained]).add_argument(
            "--tokens", type=int, help="by default the whole text"
        )
    commands.add_parser("scale", parents=[trained]).add_argument("--tokens", type=int, nargs="+", default=SCALE)
    robustness = commands.add_parser("robustness", parents=[trained])
    robustness.add_argument("--tokens", type=int, nargs="+", default=SMALL)
    robustness.add_argument("--noisy-tokens", type=int, default=4_000_000)
    robustness.add_argument("--noise", type=float, nargs="+", default=[0.1, 0.2, 0.4], help="shares to replace")
    commands.add_parser("orderings", parents=[stored])
    commands.add_parser("figure1", parents=[written])
    commands.add_parser("figure3", parents=[written]).add_argument("model", metavar="MODEL")
    return result


def planned(options: argparse.Namespace) -> list[runs.Run]:
    """Return the runs that a command needs."""
    planner = plans.Planner(options.seeds, options.epochs)
    if options.command == "robustness":
        return planner.robustness(options.texts, options.tokens, options.noisy_tokens, options.noise)
    if options.command == "scale":
        return planner.scale(options.texts, options.tokens)
    make = {"table2": planner.table2, "table3": planner.table3}[options.command]
    return make(options.texts, options.tokens)


def train(options: argparse.Namespace) -> bool:
    """Do the runs that have not been done, then write the command's page; return whether nothing failed."""
    try:
        wanted = planned(options)
    except ValueError as error:  # before hours are spent on sizes that the texts do have
        sys.exit(str(error))
    chosen = [run for run in wanted if run.trainer in options.trainers]
    whole = runs.perform(chosen, options.work, options.evaluation, options.workers)
    found = [(run.identity, result) for run, result in runs.results(wanted, options.work)]
    write(options, found, options.command)
    return whole


def orderings(options: argparse.Namespace) -> None:
    """Write what all finished runs say; of WordRank's, those with the epochs that are asked for."""
    chosen = [
        r
        for r in runs.stored(options.work)
        if r["trainer"] != "wordrank" or r["parameters"]["epochs"] == options.epochs
    ]
    write(options, [(result, result) for result in chosen], "runs")


def write(options: argparse.Namespace, found: list[tuple[runs.Result, runs.Result | None]], table: str) -> None:
    """Write the page of a command, and its runs."""
    document = getattr(pages, options.command)(summaries.grouped(found))
    save(document, options.out / f"{options.command}.md")
    summaries.write_csv([result for _, result in found if result is not None], options.out / f"{table}.csv")


def main() -> int:
    """Do what is asked for."""
    options = parser().parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.command == "figure1":
        save(pages.figure1(), options.out / "figure1.md")
    elif options.command == "figure3":
        save(pages.figure3(load_model(options.model, trust=True)), options.out / "figure3.md")
    elif options.command == "orderings":
        orderings(options)
    elif not train(options):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
