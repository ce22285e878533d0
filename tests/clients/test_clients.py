"""Programs that were written for Word2Vec run with WordRank in its place, and no worse."""

import functools
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import run as command

pytestmark = [pytest.mark.clients, pytest.mark.timeout(3 * command.TIMEOUT)]


@functools.cache
def python_of(environment):
    """Return the Python of an environment, which is built if it is missing."""
    command.BUILD.mkdir(parents=True, exist_ok=True)
    return command.create_environment(environment, wheel())


@functools.cache
def wheel():
    """Return a wheel of this package."""
    return command.build_wheel()


@pytest.mark.parametrize("script", command.clients(), ids=lambda script: script.stem)
def test_client(script):
    """A client works, has a score that is not clearly lower than with Word2Vec, and gives no more warnings."""
    word2vec, wordrank = (command.run(script, kind, python_of(script.parent.name), seed=1) for kind in command.CLASSES)
    assert "error" not in wordrank, wordrank["error"]
    assert not command.is_worse(word2vec, wordrank), (word2vec["score"], wordrank["score"])
    assert len(wordrank["warnings"]) <= len(word2vec["warnings"]), wordrank["warnings"]
