"""What is written is whole, old or new, whenever the process that writes it is killed."""

import shutil

import pytest

import commits

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
]


@pytest.mark.parametrize("writer", ["model", "model in several files", "co-occurrences", "GloVe's pair of files"])
def test_kill_at_every_call(writer):
    """After a kill at any call that changes a file, and beside a writer, the old or the new result is there."""
    arguments = ["--writer", writer, "--fault", "kill before the call", "--seconds", "0.3"]
    if writer == "model in several files":  # its calls are those of a model, again and again
        arguments += ["--step", "5"]
    reports = list(commits.run_preloaded(arguments))
    assert [report["fault"] for report in reports] == ["kill before the call", "reads beside a writer"]
    for report in reports:
        assert report["tried"] >= 5
        assert not report["lost"]
