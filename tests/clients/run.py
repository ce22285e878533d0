"""Run programs that were written for Word2Vec with WordRank in its place, and print a table of both.

    python tests/clients/run.py [NAME ...] [--repeat N] [--page docs/clients.md]

Each client is a script in a directory, which stands for an environment: `requirements.txt` lists its pinned packages,
and `unpinned.txt` those that are installed without their dependencies. Environments are built once, in build/clients.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "clients"
CLASSES = "word2vec", "wordrank"
# seconds after which a client is stopped
TIMEOUT = 300
# points by which the mean score may be below that of Word2Vec
TOLERANCE = 5.0
START, END = "<!-- table: python tests/clients/run.py -->", "<!-- end of the table -->"


def clients(names=()):
    """Return the paths of the scripts, or of those with the given names."""
    found = {f"{path.parent.name}/{path.stem}": path for path in sorted(HERE.glob("*/*.py"))}
    unknown = [name for name in names if name not in found]
    if unknown:
        sys.exit(f"There is no client {unknown[0]}. Clients: {', '.join(found)}")
    return [found[name] for name in names or found]


def call(log, *command):
    """Run a command, with its output in a file; stop with its end if the command fails."""
    environment = os.environ | {"PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])}
    with log.open("ab") as file:
        result = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, env=environment, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{log.read_text()[-2000:]}")


def build_wheel():
    """Build this package, in the directory of the editable install, so that no kernel is compiled twice."""
    directory = BUILD / "wheel"
    for old in directory.glob("*.whl"):
        old.unlink()
    options = "--no-build-isolation", "--no-deps", f"-Cbuild-dir=build/cp{sys.version_info[0]}{sys.version_info[1]}"
    call(BUILD / "wheel.log", sys.executable, "-m", "pip", "wheel", *options, "-w", directory, ROOT)
    return next(directory.glob("*.whl"))


def create_environment(name, wheel):
    """Create an environment, or update its copy of this package; return its Python."""
    place, log = BUILD / name, BUILD / f"{name}.log"
    python = place / "bin" / "python"
    pip = python, "-m", "pip", "install", "--prefer-binary"
    wanted = {file.name: file.read_text() for file in sorted((HERE / name).glob("*.txt"))}
    stamp = place / "requirements.json"
    if not stamp.exists() or json.loads(stamp.read_text()) != wanted:
        venv.create(place, clear=True, with_pip=True)
        call(log, *pip, "-r", HERE / name / "requirements.txt")
        if "unpinned.txt" in wanted:
            call(log, *pip, "--no-deps", "-r", HERE / name / "unpinned.txt")
        call(log, *pip, wheel)
        stamp.write_text(json.dumps(wanted))
    call(log, *pip, "--no-deps", "--force-reinstall", wheel)
    return python


def run(script, kind, python, seed):
    """Return the result of a client as `one.py` prints it."""
    log = BUILD / "logs" / f"{script.stem}.{kind}"
    log.parent.mkdir(exist_ok=True)
    environment = os.environ | {"CLIENTS_SEED": str(seed), "PYTHONHASHSEED": str(seed)}
    try:
        with log.open("wb") as file:
            done = subprocess.run(
                [python, HERE / "one.py", script, kind],
                stdout=subprocess.PIPE, stderr=file, timeout=TIMEOUT, env=environment, cwd=BUILD, check=True,
            )  # fmt: skip
        return json.loads(done.stdout.splitlines()[-1])
    except (subprocess.SubprocessError, ValueError, IndexError) as error:
        return {"error": str(error), "seconds": float(TIMEOUT), "warnings": []}


def summarize(results):
    """Return the mean of several results of one client, or their first error."""
    for result in results:
        if "error" in result:
            return result
    return results[0] | {name: statistics.mean(each[name] for each in results) for name in ("score", "seconds")}


def is_worse(word2vec, wordrank):
    """Return True if WordRank fails where Word2Vec works, or has a clearly lower score."""
    if "error" in word2vec:
        return False
    return "error" in wordrank or wordrank["score"] < word2vec["score"] - TOLERANCE


def title(script):
    """Return the first line of the description of a client."""
    return script.read_text().split('"""')[1].strip().rstrip(".")


def table(rows):
    """Return the results as a table in Markdown."""
    lines = [
        "| client | measure | Word2Vec | WordRank | warnings | seconds | |",
        "|---|---|---:|---:|---:|---:|---|",
    ]
    for script, results in rows:
        scores = [f"{each['score']:.1f}" if "score" in each else "fails" for each in results]
        warned = " / ".join(str(len(each["warnings"])) for each in results)
        seconds = " / ".join(f"{each['seconds']:.1f}" for each in results)
        verdict = "worse" if is_worse(*results) else ""
        measure = next((each["measure"] for each in results if "measure" in each), "")
        lines.append(f"| {title(script)} | {measure} | {scores[0]} | {scores[1]} | {warned} | {seconds} | {verdict} |")
    return "\n".join(lines)


def write_page(path, text):
    """Replace the table in a page."""
    before, _, rest = path.read_text().partition(START)
    _, _, after = rest.partition(END)
    path.write_text(f"{before}{START}\n{text}\n{END}{after}")


def main():
    """Run the clients."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="clients, as numpy2/item2vec (default: all)")
    parser.add_argument("--repeat", type=int, default=1, help="number of seeds; scores are means")
    parser.add_argument("--page", type=Path, help="write the table into this page, too")
    options = parser.parse_args()
    scripts = clients(options.names)
    BUILD.mkdir(parents=True, exist_ok=True)
    wheel = build_wheel()
    pythons = {name: create_environment(name, wheel) for name in {script.parent.name for script in scripts}}
    rows = []
    for script in scripts:
        python = pythons[script.parent.name]
        results = [
            summarize([run(script, kind, python, seed) for seed in range(1, options.repeat + 1)]) for kind in CLASSES
        ]
        rows.append((script, results))
        print(f"{script.parent.name}/{script.stem}", json.dumps(dict(zip(CLASSES, results, strict=True))), flush=True)
    print(table(rows))
    if options.page:
        write_page(options.page, table(rows))
    sys.exit(any(is_worse(*results) for _, results in rows))


if __name__ == "__main__":
    main()
