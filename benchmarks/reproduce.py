"""The tables and figures of the paper, by one command each.

    python benchmarks/reproduce.py table2 TEXT --evaluation DIR --work DIR --out DIR

table2       RobiRank and the four rank losses, weights off and on: WS-353 and Google
scale        Word2Vec, GloVe and WordRank on growing texts: Figure 2 and its table (--tokens N...)
table3       the same three on one text: six similarity sets, Google semantic and syntactic
robustness   the same three on small texts (--tokens N...), and with tokens replaced by random ones

Of several TEXTs, each size is taken from the first that has as many tokens; a text has one sentence a line and may be
compressed. A finished run is a file in the directory --work, and is not run again: break a command off and call it
again, or let several work on one directory. --trainers says which of wordrank, word2vec and glove are run now; the
tables show all that were run before. Without a name after it, nothing is run.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from paper import plans, runs

SCALE = [17_005_207, 32_000_000, 64_000_000]
SMALL = [1_000_000, 2_000_000, 4_000_000, 8_000_000]


def parser() -> argparse.ArgumentParser:
    """Return what is understood."""
    result = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = result.add_subparsers(dest="command", required=True)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("texts", type=Path, nargs="+", metavar="TEXT")
    shared.add_argument("--evaluation", type=Path, required=True, help="directory of the test sets")
    shared.add_argument(
        "--work", type=Path, required=True, help="directory of finished runs, and of texts made for them"
    )
    shared.add_argument("--out", type=Path, required=True, help="directory of tables and pictures")
    shared.add_argument("--trainers", nargs="*", choices=plans.TRAINERS, default=plans.TRAINERS)
    shared.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    shared.add_argument("--epochs", type=int, default=plans.WORDRANK_EPOCHS, help="of WordRank")
    shared.add_argument("--workers", type=int, default=2)
    for name in ("table2", "table3"):
        commands.add_parser(name, parents=[shared]).add_argument(
            "--tokens", type=int, help="by default, the whole text"
        )
    commands.add_parser("scale", parents=[shared]).add_argument("--tokens", type=int, nargs="+", default=SCALE)
    robustness = commands.add_parser("robustness", parents=[shared])
    robustness.add_argument("--tokens", type=int, nargs="+", default=SMALL)
    robustness.add_argument("--noisy-tokens", type=int, default=4_000_000)
    robustness.add_argument("--noise", type=float, nargs="+", default=[0.1, 0.2, 0.4])
    return result


def planned(options: argparse.Namespace) -> list[runs.Run]:
    """Return the runs that a command needs."""
    planner = plans.Planner(options.seeds, options.epochs)
    if options.command == "robustness":
        return planner.robustness(options.texts, options.tokens, options.noisy_tokens, options.noise)
    make = {"table2": planner.table2, "table3": planner.table3, "scale": planner.scale}[options.command]
    return make(options.texts, options.tokens)


def main() -> int:
    """Do what has not been done, then write the tables."""
    options = parser().parse_args()
    wanted = planned(options)
    chosen = [run for run in wanted if run.trainer in options.trainers]
    return 0 if runs.perform(chosen, options.work, options.evaluation, options.workers) else 1


if __name__ == "__main__":
    sys.exit(main())
