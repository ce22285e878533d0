"""Estimated memory compared with measured memory."""

import json
import subprocess
import sys

import numpy as np
import pytest
from gensim.test.utils import datapath
from gensim_wordrank import WordRank
from gensim_wordrank.training.memory_estimate import expected_pairs

pytestmark = pytest.mark.slow
SCRIPT = """
import json, sys
from gensim_wordrank import WordRank

def now(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))

WordRank([["a", "b"]] * 5, vector_size=4, epochs=1)  # loads everything that is loaded late
before = now("VmRSS")
model = WordRank(corpus_file=sys.argv[1], vector_size=int(sys.argv[2]), window=5, epochs=1, workers=2)
print(json.dumps({"peak": now("VmHWM") - before, "words": len(model.wv), **model.estimate_memory()}))
"""


@pytest.mark.parametrize("size", [50, 200])
def test_estimate_is_close_to_the_measured_peak(tmp_path, size):
    """On a vocabulary of 20,000 words, the estimate is within 20% of the peak of training."""
    random = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(20_000)])
    weights = 1 / np.arange(10, 20_010)
    text = random.choice(words, (50_000, 20), p=weights / weights.sum())
    (tmp_path / "text.txt").write_text("\n".join(map(" ".join, text)))
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "text.txt"), str(size)]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert report["words"] > 19_000
    assert report["total"] == pytest.approx(report["peak"], rel=0.2), report


@pytest.mark.parametrize("name", ["lee_background.cor", "head500.noblanks.cor"])
def test_estimate_on_small_texts(name):
    """On the texts that come with gensim, where fixed costs dominate, the estimate is within 20%, too."""
    command = [sys.executable, "-c", SCRIPT, datapath(name), "50"]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert report["total"] == pytest.approx(report["peak"], rel=0.2), report


@pytest.mark.parametrize("window", [2, 5, 15])
@pytest.mark.parametrize("symmetric", [True, False])
def test_estimated_number_of_pairs(lee, window, symmetric):
    """Before counting, the number of pairs is estimated from word counts within 20%."""
    model = WordRank(vector_size=4, window=window, symmetric=symmetric)
    model.build_vocab(lee)
    before = model.estimate_memory()["cooccurrence"]
    model.train(lee, total_examples=model.corpus_count, epochs=1)
    assert before == pytest.approx(model.estimate_memory()["cooccurrence"], rel=0.2)


def test_estimate_for_a_given_vocabulary_size():
    """Without a corpus, the total grows with the vocabulary and is the sum of its parts."""
    model = WordRank(vector_size=100)
    totals = []
    for vocab_size in (1_000, 10_000, 100_000):
        report = model.estimate_memory(vocab_size, {"mine": 7})
        totals.append(report.pop("total"))
        assert totals[-1] == sum(report.values())
        assert report["mine"] == 7
    assert totals == sorted(totals)
    assert expected_pairs([], 10.0, 5) == 0
