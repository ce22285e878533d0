"""The command `wordrank` and its list of subcommands."""

from __future__ import annotations

import click

from gensim_wordrank.cli import analyse, common, train, use


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="gensim-wordrank")
def main() -> None:
    """Train and use WordRank word vectors."""
    common.occupy_closed_streams()


for command in (
    train.prepare, train.cooccur, train.train, train.resume,
    use.similar, use.analogy, use.evaluate, use.export, use.info, use.plot, use.demo,
    analyse.stability, analyse.explain, analyse.change,
):  # fmt: skip
    main.add_command(command)
