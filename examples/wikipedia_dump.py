"""Train vectors on a dump of Wikipedia.

    python wikipedia_dump.py [DUMP] [--out DIRECTORY]

DUMP is a file such as enwiki-latest-pages-articles.xml.bz2; without it, 106 articles that come with gensim are used.
The text is written to DIRECTORY, one article per line, so that a second run on the same dump need not extract it again.
"""

import argparse
from pathlib import Path

from gensim.corpora import WikiCorpus
from gensim.test.utils import datapath
from gensim_wordrank import WordRank

SAMPLE = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"


def write_text(dump: str, path: Path) -> int:
    """Write the words of every article into a line of their own; return how many there are."""
    articles = WikiCorpus(dump, dictionary={})  # no need for its dictionary, which would take a pass of its own
    unfinished = path.with_suffix(".part")
    with unfinished.open("w", encoding="utf-8") as file:
        for words in articles.get_texts():
            file.write(" ".join(words) + "\n")
    unfinished.rename(path)
    return len(articles)


def main() -> None:
    """Unpack the dump unless that was done before, train, and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump", nargs="?", default=datapath(SAMPLE))
    parser.add_argument("--out", type=Path, default=Path("wikipedia"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    text = options.out / f"{Path(options.dump).name.removesuffix('.bz2').removesuffix('.xml')}.txt"
    if not text.exists():
        print(f"{write_text(options.dump, text)} articles in {text}")
    model = WordRank(corpus_file=text, max_final_vocab=200_000, progress=True)
    model.save(text.with_suffix(".model"))
    print(f"{len(model.wv)} vectors in {text.with_suffix('.model')}")


if __name__ == "__main__":  # WikiCorpus starts processes, which import this file
    main()
