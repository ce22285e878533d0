"""Run one client with Word2Vec or with WordRank in its place, and print the result as JSON.

    python tests/clients/one.py SCRIPT {word2vec,wordrank}

`run.py` calls this in the environment of the client.
"""

import contextlib
import importlib.util
import json
import logging
import os
import random
import resource
import sys
import time
import traceback
import warnings
from pathlib import Path

import gensim.models
import gensim.models.word2vec
import numpy as np

LIBRARIES = "gensim", "gensim_wordrank"


class Collector(logging.Handler):
    """Collects the distinct warnings of the two libraries."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.messages = {}

    def emit(self, record):
        """Keep a message; those that differ only in numbers are one."""
        if record.name.partition(".")[0] in LIBRARIES:
            self.messages.setdefault(str(record.msg), record.getMessage())


def bind(name):
    """Bind the name Word2Vec in gensim to the class that the client is to use."""
    if name == "wordrank":
        from gensim_wordrank import WordRank

        gensim.models.Word2Vec = gensim.models.word2vec.Word2Vec = WordRank


def processor_seconds():
    """Return the processor time of this process and its children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def run(script):
    """Return the measure, score, seconds and warnings of a client, or its error."""
    sys.path.insert(0, str(Path(__file__).parent))
    collector = Collector()
    logging.getLogger().addHandler(collector)
    seed = int(os.environ.get("CLIENTS_SEED", "1"))
    random.seed(seed)
    np.random.seed(seed)  # the generator of most clients
    started = processor_seconds()
    try:
        with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(sys.stderr):
            warnings.simplefilter("always")
            spec = importlib.util.spec_from_file_location(script.stem, script)
            module = sys.modules[script.stem] = importlib.util.module_from_spec(spec)  # for its pickles
            spec.loader.exec_module(module)
            started = processor_seconds()
            measure, score = module.run()
        result = {"measure": measure, "score": float(score)}
    except Exception as error:
        traceback.print_exc()
        result = {"error": f"{type(error).__name__}: {error}"}
    from_warnings = {
        str(each.message) for each in caught if any(f"{os.sep}{name}{os.sep}" in each.filename for name in LIBRARIES)
    }
    return result | {
        "seconds": processor_seconds() - started,
        "warnings": sorted({*collector.messages.values(), *from_warnings}),
    }


if __name__ == "__main__":
    bind(sys.argv[2])
    print(json.dumps(run(Path(sys.argv[1]))))
