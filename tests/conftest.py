"""Shared data of the tests: all made here or taken from gensim's wheel."""

import signal

import numpy as np
import pytest
from gensim_wordrank import Cooccurrence

from problems import make_problem


def pytest_addoption(parser):
    """Let longer runs ask for more."""
    parser.addoption("--rounds", type=int, default=100, help="how often each format of files is damaged")
    parser.addoption("--seed", type=int, default=1, help="where the damage comes from")


def pytest_report_header(config):
    """Say how to repeat a run."""
    return f"damage: --seed {config.getoption('--seed')} --rounds {config.getoption('--rounds')}"


def pytest_configure(config):
    """Let tests interrupt processes."""
    # a shell lets jobs in the background ignore Ctrl-C, and so would the processes that the tests interrupt
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def lee():
    """The Lee corpus as token lists."""
    from gensim_wordrank.demo import lee_corpus

    return lee_corpus()


@pytest.fixture(scope="session")
def lee_pairs(lee):
    """Co-occurrences of its 1,750 words, which make four blocks."""
    return Cooccurrence.from_corpus(lee, window=5)


@pytest.fixture(scope="session")
def two_worlds():
    """Sentences of two kinds of words that never mix, 20 of each."""
    random = np.random.default_rng(0)
    worlds = [[f"{world}{i}" for i in range(20)] for world in ("sea", "sky")]
    return [list(random.choice(worlds[i % 2], 12)) for i in range(600)]


@pytest.fixture
def problem():
    """A small random problem."""
    return make_problem(12, 17, 5, seed=3)
