"""The benchmark that makes the pages of results: texts, runs, comparisons and claims."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from gensim.test.utils import datapath

LEE = Path(datapath("lee_background.cor"))
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch):
    """Make the scripts importable."""
    monkeypatch.syspath_prepend(Path(__file__).parent.parent / "benchmarks")


@pytest.fixture
def texts(tmp_path):
    """The Lee corpus as the larger text, and its first 100 lines as the one that was used for tuning."""
    from bench.texts import Texts

    lines = LEE.read_text(encoding="utf-8").lower().splitlines(keepends=True)
    (tmp_path / "tuning.txt").write_text("".join(lines[:100]), encoding="utf-8")
    (tmp_path / "large.txt").write_text("".join(lines), encoding="utf-8")
    return Texts(tmp_path / "tuning.txt", tmp_path / "large.txt", tmp_path / "texts")


def test_held_out_texts_share_no_line_with_the_tuning_text(texts):
    """A held-out text has the wanted size and no line of the text on which defaults were chosen."""
    from bench.texts import Text

    held_out = texts.file(Text("held-out", 9000)).read_text(encoding="utf-8")
    assert len(held_out.split()) == 9000
    whole_lines = held_out.splitlines()[:-1]  # the last one is cut
    tuning = {" ".join(line.split()) for line in texts.tuning.read_text(encoding="utf-8").splitlines()}
    assert len(whole_lines) > 10
    assert tuning.isdisjoint(whole_lines)
    with pytest.raises(ValueError, match="has 59890 tokens, not 60000"):
        texts.file(Text("large", 60_000))


def test_noise_replaces_the_given_share(texts):
    """Lines keep their lengths; more noise changes the same tokens in the same way, and others."""
    from bench.texts import Text

    contents = [texts.file(Text("large", 59_000, noise)).read_text(encoding="utf-8") for noise in (0.0, 0.1, 0.4)]
    assert len({tuple(len(line.split()) for line in content.splitlines()) for content in contents}) == 1
    clean, some, more = (content.split() for content in contents)
    changed, changed_more = ({i for i in range(59_000) if clean[i] != noisy[i]} for noisy in (some, more))
    assert 0.08 * 59_000 < len(changed) <= 0.1 * 59_000
    assert 0.36 * 59_000 < len(changed_more) <= 0.4 * 59_000
    assert changed <= changed_more
    assert all(some[i] == more[i] for i in changed)


def test_all_planned_runs_differ():
    """No run is planned twice, and every run has a name in the tables."""
    from bench import groups, plan

    runs = list(plan.runs())
    assert len({run.id for run in runs}) == len(runs)
    labels = [groups.label(run.identity) for run in runs]
    assert {"WordRank", "WordRank, subwords", "WordRank, 20 epochs", "WordRank, window 5"} <= set(labels)
    assert labels.count("Word2Vec, skip-gram, window 15, 20 epochs") == len(list(plan.texts()))


def test_changed_defaults_make_another_run(monkeypatch):
    """A run with the same arguments but other defaults, or other recorded vectors, has another name."""
    from bench import runs
    from bench.texts import Text

    run = runs.Run("wordrank", Text("large", 9000), {"seed": 1})
    before = run.id
    monkeypatch.setattr(runs, "defaults", lambda model: {"epochs": 11})
    changed = run.id
    monkeypatch.setattr(runs, "_recorded_hashes", list)
    assert len({before, changed, run.id}) == 3


def test_lead_covers_seeds_and_items():
    """A constant lead has its size and an interval around it; equal runs have none; one seed's luck is not a lead."""
    from bench.differences import lead

    random = np.random.default_rng(0)
    worse = random.random(500) < 0.4
    better = worse | (random.random(500) < 0.2)
    value, low, high = lead([better], [worse], None)
    assert value == pytest.approx(100 * (better.mean() - worse.mean()), abs=0.01)
    assert 0 < low < value < high
    assert lead([worse], [worse], None) == (0, 0, 0)
    assert lead([better, worse, worse], [worse, better], None)[1] < 0
    ratings = np.arange(200.0)
    noisy = (100 * ratings + random.normal(0, 9000, 200)).astype(np.int16)
    value, low, high = lead([noisy], [ratings.astype(np.int16)], ratings)
    assert low < value < high < 0


def make_leads(found):
    """Return the records of two runs of Table 2 and of a comparison with these leads."""
    from bench.runs import Run
    from bench.texts import Text

    text = Text("tuning", 4_000_000)
    runs = [Run("wordrank", text, {"preset": "paper", "rank_loss": "log", "weighted": on}) for on in (True, False)]
    records = [run.identity | {"id": run.id} for run in runs]
    return records, [{"id": "", "ours": [runs[0].id], "theirs": [runs[1].id], "leads": found}]


@pytest.mark.parametrize(
    ("lead", "verdict"), [((3, 1, 5), "holds"), ((3, -1, 7), "undecided"), ((-3, -5, -1), "does not hold")]
)
def test_claims_need_more_than_chance(lead, verdict):
    """A claim holds only if the whole interval is on its side; without runs it is "not run"."""
    from bench import claims

    found = {claim.text: claim for claim in claims.about_losses(claims.Leads(*make_leads({"Google": lead})))}
    gain = found["Google: ρ₁ gains by weights"]
    assert (gain.verdict, gain.paper) == (verdict, pytest.approx(44.5 - 34.3))
    assert {claim.verdict for claim in found.values() if claim is not gain} == {"not run"}


@pytest.fixture
def evaluation(tmp_path):
    """Small test sets and tasks under the names that the benchmark expects."""
    from bench.scoring import SIMILARITY

    folder = tmp_path / "evaluation"
    for name in ("1_Inflectional_morphology", "3_Encyclopedic_semantics"):
        (folder / "bats" / name).mkdir(parents=True)
    pairs = "the\tof\t3\nthe\tto\t2\nto\tin\t5\nof\tin\t8\nand\tthe\t1\nnever\tseen\t9\n"
    for name in SIMILARITY.values():
        (folder / name).write_text(pairs)
    (folder / "google-questions.txt").write_text(": family\nthe of to in\n: gram8-plural\nof and in the\n")
    rows = "".join(f"{a}\t{b}\n" for a, b in (("the", "of"), ("to", "in"), ("and", "a"), ("is", "was"), ("on", "at")))
    (folder / "bats" / "1_Inflectional_morphology" / "I01.txt").write_text(rows)
    (folder / "bats" / "3_Encyclopedic_semantics" / "E01.txt").write_text(rows)
    sentence = "".join(f"{i}\t{word}\t_\t{tag}\n" for i, (word, tag) in enumerate([("The", "DET"), ("man", "NOUN")], 1))
    documents = "x\tthe man said\ny\tof in to\n"
    for part in ("dev", "test"):
        (folder / f"ewt-{part}.conllu").write_text(f"# a comment\n{sentence}\n" * 5)
    for part in ("train", "test"):
        (folder / f"r8-{part}.txt").write_text(documents * 5)
    return folder


def command(monkeypatch, *arguments):
    """Run a command of results.py."""
    import results

    monkeypatch.setattr(sys, "argv", ["results.py", *map(str, arguments)])
    results.main()


def test_the_readme_shows_the_largest_text_with_all_trainers(monkeypatch):
    """The table is of one text and has a row per trainer; of a larger text, some trainers are missing."""
    from bench import pages, plan
    from bench.texts import Text

    small, large = Text("held-out", 1_000_000), Text("held-out", 4_000_000)
    monkeypatch.setattr(plan, "texts", lambda: [small, large, Text("held-out", 9_000_000, 0.1)])
    names = [name for sets in pages.README_COLUMNS.values() for name in sets]
    runs = {run.id: run for text in (small, large) for run in [*plan.baselines(text), *plan.wordrank(text)]}
    records = [run.identity | {"cpu_seconds": 7.0, "scores": dict.fromkeys(names, 50.0)} for run in runs.values()]
    assert pages.readme_text(records) == large
    without = [run for run in records if run["trainer"] != "fasttext" or run["text"]["tokens"] == small.tokens]
    assert pages.readme_text(without) == small
    head, _, *rows = pages.readme_table(without).splitlines()
    assert head == "| 1M tokens | time | similarity | rare words | analogies | parts of speech | topics |"
    assert [row.split(" | ")[0] for row in rows] == [f"| {who}" for who in pages.README_ROWS]
    assert rows[-1] == "| WordRank, subwords | 7 s | 50.0 | 50.0 | 50.0 | 50.0 | 50.0 |"
    only_ours = [run for run in records if run["trainer"] == "wordrank"]
    assert pages.readme_text(only_ours) == large
    with pytest.raises(ValueError, match="no runs with the default parameters"):
        pages.readme_text([])


@pytest.mark.slow
def test_runs_are_made_once_and_fill_the_pages(texts, evaluation, tmp_path, monkeypatch, capsys):
    """A second call makes no run again; the pages have a row per trainer, leads and claims; old runs are dropped."""
    from bench import differences, pages, plan
    from bench.runs import Run
    from bench.texts import Text

    text = Text("held-out", 9000)
    trainers = {"wordrank": {"epochs": 1}, "word2vec": {"sg": 1, "window": 5, "epochs": 1}, "ppmi_svd": {}}
    ppmi = {"window": 5, "smoothing": 0.75, "eigenvalue_weighting": 0.5, "min_count": 5, "vector_size": 10, "seed": 1}
    monkeypatch.setattr(plan, "texts", lambda: [text])
    monkeypatch.setattr(differences, "RESAMPLES", 5)
    runs = [Run("wordrank", text, {"seed": seed}) for seed in (1, 2)] + [
        Run("word2vec", text, trainers["word2vec"] | {"seed": 1}), Run("ppmi_svd", text, ppmi),
    ]  # fmt: skip
    monkeypatch.setattr(plan, "runs", lambda: runs)
    places = ("--results", tmp_path / "results")
    asked = ("run", "--tuning", texts.tuning, "--large", texts.large, "--evaluation", evaluation, "--work", tmp_path)
    command(monkeypatch, *places, *asked, "--only", "wordrank-*")
    command(monkeypatch, *places, *asked)
    assert [line.split("-held-out")[0] for line in capsys.readouterr().out.splitlines()] == [
        "wordrank", "wordrank", "word2vec", "ppmi_svd",
    ]  # fmt: skip
    command(monkeypatch, *places, *asked)
    assert not capsys.readouterr().out
    records = [json.loads(line) for line in (tmp_path / "results" / "runs.jsonl").read_text().splitlines()]
    assert [record["id"] for record in records] == [run.id for run in runs]
    assert all(record["cpu_seconds"] > 0 and record["source"]["tokens"] == 9000 for record in records)
    (tmp_path / "pages").mkdir()
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{pages.TABLE_BEGIN}\n| old |\n{pages.TABLE_END}\nafter\n")
    for _ in range(2):
        command(monkeypatch, *places, "pages", "--pages", tmp_path / "pages", "--readme", readme)
    images = {path.name for path in (tmp_path / "pages").glob("*.png")}
    assert images == {"quality.png", "quality-1.png", "paper-1.png"}  # the same names each time
    shown = readme.read_text().splitlines()
    assert shown[:2] + shown[-2:] == ["before", pages.TABLE_BEGIN, pages.TABLE_END, "after"]
    assert shown[2].startswith("| 0M tokens | time | similarity | ")
    assert shown[4].startswith("| WordRank | ")
    page = (tmp_path / "pages" / "quality.md").read_text(encoding="utf-8")
    for row in (
        "| WordRank |",
        "| Word2Vec, skip-gram, window 5, 1 epochs |",
        "| PPMI-SVD, window 5",
    ):
        assert row in page
    assert "| WordRank over" in (tmp_path / "pages" / "leads.md").read_text(encoding="utf-8")
    paper = (tmp_path / "pages" / "paper.md").read_text(encoding="utf-8").splitlines()
    claim = next(line for line in paper if line.startswith("| WS-353: u ahead of u + v |"))
    assert " to " in claim
    assert "not run" not in claim
    monkeypatch.setattr(plan, "runs", lambda: runs[:1])
    command(monkeypatch, *places, *asked)
    assert len((tmp_path / "results" / "runs.jsonl").read_text().splitlines()) == 1
