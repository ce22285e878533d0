"""Which runs the pages of docs/results are made of.

The line between choosing and reporting: defaults were chosen on the text "tuning" and on WS-353, MEN, MTurk-287,
SimLex-999, Rare Words and Google's analogies. What is reported as a result comes from the texts "held-out" and from
noise on them, and on the larger text. UNSEEN names the test sets and tasks that were looked at only afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from bench import claims
from bench.claims import RHO, column
from bench.groups import DEFAULT, SUBWORDS, grouped, on
from bench.runs import Record, Run
from bench.texts import Text

# the sets on which defaults were chosen, and the others
SEEN = (
    "WS-353", "WS-353 similarity", "WS-353 relatedness", "MEN", "MTurk-287", "SimLex-999", "Rare Words",
    "Google semantic", "Google syntactic",
)  # fmt: skip
UNSEEN = (
    "MTurk-771", "SimVerb-3500", "RG-65", "YP-130", "BATS semantic", "BATS syntactic", "Parts of speech", "Topics",
)  # fmt: skip
SMALL, MEDIUM, USUAL, LARGE = 1_000_000, 4_000_000, 17_005_207, 64_000_000
SIZES = (SMALL, MEDIUM, USUAL)
NOISE = (0.1, 0.2, 0.4)
SEEDS = (1, 2, 3)
# besides the default
EPOCHS = (5, 20, 40)
# what all trainers have in common; Table 1 of the paper limits the vocabulary of 64M tokens
DIMENSIONS, MIN_COUNT, LARGE_VOCABULARY = 100, 5, 100_000
# the paper's settings for Table 2, with steps by AdaGrad: plain SGD needs five times as many epochs
PAPER = {"preset": "paper", "optimizer": "adagrad", "epochs": 20}
# (window, epochs) of gensim's skip-gram
SKIP_GRAM = ((5, 5), (5, 20), (15, 5), (15, 20))


def baselines(text: Text) -> Iterator[Run]:
    """Yield the runs of all other trainers on a text, the cheap ones first."""
    words = {"max_final_vocab": LARGE_VOCABULARY} if text.tokens >= LARGE else {}
    for window in (5, 15):
        for weighting in (0.0, 0.5):
            ppmi = {"window": window, "smoothing": 0.75, "eigenvalue_weighting": weighting, "min_count": MIN_COUNT}
            yield Run("ppmi_svd", text, ppmi | {"vector_size": DIMENSIONS, "seed": 1} | words)
    yield Run("word2vec", text, {"seed": 1, **words})  # gensim's defaults: CBOW, window 5, 5 epochs
    for window, epochs in SKIP_GRAM:
        yield Run("word2vec", text, {"sg": 1, "window": window, "epochs": epochs, "seed": 1} | words)
    # fastText's defaults: window 5, 5 epochs, n-grams of 3 to 6 characters, 100 dimensions
    yield Run("fasttext", text, {"model": "skipgram", "minCount": MIN_COUNT})
    iterations = 50 if text.tokens <= MEDIUM else 25
    glove = {"vector_size": DIMENSIONS, "window": 15, "min_count": MIN_COUNT, "iter": iterations, "x_max": 100}
    yield Run("glove", text, {**glove, "seed": 1, **({"max_vocab": LARGE_VOCABULARY} if words else {})})


def wordrank(text: Text) -> Iterator[Run]:
    """Yield WordRank's runs: its defaults, with subwords, and with other numbers of epochs."""
    common = {"max_final_vocab": LARGE_VOCABULARY} if text.tokens >= LARGE else {}
    for subwords in ({}, {"subwords": True}):
        for seed in SEEDS:
            yield Run("wordrank", text, {**subwords, "seed": seed, **common})
    yield Run("wordrank", text, {"window": 5, "seed": 1, **common})
    for epochs in EPOCHS:
        yield Run("wordrank", text, {"epochs": epochs, "seed": 1, **common})


def paper() -> Iterator[Run]:
    """Yield the runs with the paper's settings: as printed, with AdaGrad on a larger text, and those of Table 2.

    Table 2 has four rank losses, with and without weights, and RobiRank (Yun et al., 2014), which takes the logarithm
    of the rank itself, with the logistic loss and equal weights.
    """
    yield Run("wordrank", Text("held-out", MEDIUM), {"preset": "paper", "seed": 1})
    yield Run("wordrank", Text("held-out", USUAL), {**PAPER, "seed": 1})  # plain SGD diverges there
    text = Text("tuning", MEDIUM)
    robirank = {"rank_scale": 1.0, "rank_offset": 0.0, "pair_loss": "logistic", "weighted": False}
    variants = [{"rank_loss": loss, "weighted": weighted} for loss in RHO for weighted in (True, False)]
    for seed in SEEDS:
        for changes in (*variants, robirank):
            yield Run("wordrank", text, {**PAPER, **changes, "seed": seed})


def texts() -> Iterator[Text]:
    """Yield all texts, the cheap ones first; noise only on the smallest, where all baselines can be run."""
    for tokens in (SMALL, MEDIUM):
        yield Text("held-out", tokens)
    for noise in NOISE:
        yield Text("held-out", SMALL, noise)
    yield Text("held-out", USUAL)
    yield Text("large", LARGE)


def runs() -> Iterator[Run]:
    """Yield all runs."""
    for text in texts():
        yield from baselines(text)
    for text in texts():
        yield from wordrank(text)
    yield from paper()


def comparisons(records: Iterable[Record]) -> Iterator[tuple[list[Record], list[Record]]]:
    """Yield what is compared: WordRank with all others on the same text, and the columns of Table 2 with each other."""
    known = list(records)
    for text in texts():
        groups = grouped(on(known, text))
        others = [runs for runs in groups.values() if runs[0]["trainer"] != "wordrank"]
        for ours in (groups[name] for name in (DEFAULT, SUBWORDS) if name in groups):
            for theirs in others:
                yield ours, theirs
        if DEFAULT in groups:  # u with u + v
            yield groups[DEFAULT], groups[DEFAULT]
    columns: dict[str, list[Record]] = {}
    for record in known:
        if name := column(record):
            columns.setdefault(name, []).append(record)
    for ours, theirs in product(columns, columns):
        if claims.is_compared(ours, theirs):
            yield columns[ours], columns[theirs]
