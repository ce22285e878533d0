"""Shared fixtures. All data is generated here or comes with gensim."""

import signal

import numpy as np
import pytest
from gensim_wordrank import Cooccurrence

from problems import lee_corpus, make_problem


def pytest_addoption(parser):
    """Add the options of test_damage.py."""
    parser.addoption("--rounds", type=int, default=100, help="how often each file format is damaged")
    parser.addoption("--seed", type=int, default=1, help="seed of the random damage")


def pytest_report_header(config):
    """Print the options that repeat a run."""
    return f"damage: --seed {config.getoption('--seed')} --rounds {config.getoption('--rounds')}"


def pytest_configure(config):
    """Restore the handling of Ctrl-C."""
    # background jobs of a shell ignore SIGINT, and so would the processes that tests start and interrupt
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def lee():
    """The Lee corpus as token lists."""
    return lee_corpus()


@pytest.fixture(scope="session")
def lee_pairs(lee):
    """Co-occurrence counts of the Lee corpus: 1,750 words in four blocks."""
    return Cooccurrence.from_corpus(lee, window=5)


@pytest.fixture(scope="session")
def two_worlds():
    """Sentences over two vocabularies of 20 words that never occur together."""
    random = np.random.default_rng(0)
    worlds = [[f"{world}{i}" for i in range(20)] for world in ("sea", "sky")]
    return [list(random.choice(worlds[i % 2], 12)) for i in range(600)]


@pytest.fixture
def problem():
    """A small random training problem."""
    return make_problem(12, 17, 5, seed=3)
