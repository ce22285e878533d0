"""Seconds and memory from text on disk to co-occurrences, beside GloVe's programs.

    python benchmarks/cooccurrence.py TEXT [TEXT ...] --out DIR [--budgets 1GB 2GB] [--no-glove]

For each TEXT: `Cooccurrence.from_corpus` from the file without limit and with each budget, from an iterable of token
lists (LineSentence), and GloVe's vocab_count + cooccur + shuffle where they are on the PATH. Window 15, min_count 5,
all cores. Every run is a process of its own; the order of runs is the order of the table. Writes cooccurrence.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from gensim_wordrank._utils.versions import versions

OURS = """
import json, sys, zlib
from time import perf_counter
from gensim.models.word2vec import LineSentence
from gensim_wordrank import Cooccurrence
text, kind, memory = sys.argv[1:]
started = perf_counter()
source = {"corpus_file": text} if kind == "file" else {"sentences": LineSentence(text)}
pairs = Cooccurrence.from_corpus(**source, memory=memory or None)
seconds = perf_counter() - started
# before a mapped matrix is read; not getrusage, whose peak begins with that of the parent
peak = int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))) / 1024
checksum = 0
for array in (pairs.indptr, pairs.indices, pairs.data):
    for start in range(0, len(array), 1 << 20):
        checksum = zlib.crc32(array[start : start + (1 << 20)], checksum)
print(json.dumps({"seconds": seconds, "pairs": pairs.nnz, "checksum": checksum, "peak MiB": peak}))
"""

GLOVE = """
vocab_count -min-count 5 -verbose 0 < "$0" > vocab.txt
cooccur -vocab-file vocab.txt -window-size 15 -memory 4 -verbose 0 < "$0" > pairs.bin
shuffle -memory 4 -verbose 0 < pairs.bin > shuffled.bin
"""


def ours(text: Path, kind: str, memory: str) -> dict[str, object]:
    """Count with this package."""
    command = [sys.executable, "-c", OURS, str(text), kind, memory]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    name = f"from_corpus, {'file' if kind == 'file' else 'LineSentence'}{', memory ' + memory if memory else ''}"
    return {"text": text.name, "program": name, **json.loads(printed)}


def glove(text: Path) -> dict[str, object]:
    """Count with GloVe's programs."""
    with tempfile.TemporaryDirectory() as scratch:
        started = perf_counter()
        process = subprocess.Popen(["sh", "-ec", GLOVE, str(text.resolve())], cwd=scratch)
        _, status, usage = os.wait4(process.pid, 0)  # of the largest of its processes
        if status:
            raise RuntimeError("GloVe failed")
        seconds = perf_counter() - started
        pairs = Path(scratch, "pairs.bin").stat().st_size // 16
    result = {"text": text.name, "program": "GloVe", "seconds": seconds, "pairs": pairs, "checksum": ""}
    return {**result, "peak MiB": usage.ru_maxrss / 1024}


def main() -> None:
    """Run everything and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--budgets", nargs="*", default=[])
    parser.add_argument("--no-glove", action="store_true")
    options = parser.parse_args()
    rows = []
    for text in options.texts:
        rows += [ours(text, "file", ""), ours(text, "sentences", "")]
        rows += [ours(text, "file", budget) for budget in options.budgets]
        if not options.no_glove and shutil.which("cooccur"):
            rows.append(glove(text))
        print(*rows, sep="\n", flush=True)
    lines = ["| text | program | seconds | pairs | checksum | peak MiB |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {row['text']} | {row['program']} | {row['seconds']:.1f} | {row['pairs']} | {row['checksum']} "
        f"| {row['peak MiB']:.0f} |"
        for row in rows
    ]
    about = ", ".join(f"{name} {value}" for name, value in versions().items())
    options.out.mkdir(parents=True, exist_ok=True)
    text = "\n".join(["# From text to co-occurrences", "", *lines, "", f"{os.cpu_count()} cores; {about}", ""])
    (options.out / "cooccurrence.md").write_text(text)


if __name__ == "__main__":
    main()
