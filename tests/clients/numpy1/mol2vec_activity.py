"""mol2vec: molecules as sentences of substructures, `sentences2vec` and a regression on 1,000 measured activities."""

import csv
from pathlib import Path

import numpy as np
import tasks
from gensim.models import word2vec
from mol2vec.features import MolSentence, mol2alt_sentence
from rdkit import Chem, RDConfig, RDLogger
from scipy.stats import spearmanr
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import cross_val_predict


def run():
    """Predict activities from sums of vectors."""
    RDLogger.DisableLog("rdApp.*")
    data = Path(RDConfig.RDContribDir, "FreeWilson", "data")
    with (data / "CHEMBL2321810_act.csv").open() as file:
        activities = {row["Name"]: float(row["Act"]) for row in csv.DictReader(file)}
    rows = [line.split() for line in (data / "CHEMBL2321810.smi").read_text().splitlines()]
    rows = [(smiles, name) for smiles, name in rows if name in activities]
    molecules = [MolSentence(mol2alt_sentence(Chem.MolFromSmiles(smiles), 1)) for smiles, _ in rows]
    model = word2vec.Word2Vec(molecules, vector_size=100, window=10, min_count=3, sg=1, workers=1, seed=tasks.SEED)
    features = np.array([sum(model.wv[word] for word in molecule if word in model.wv) for molecule in molecules])
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    measured = [activities[name] for _, name in rows]
    predicted = cross_val_predict(RidgeCV(10.0 ** np.arange(-2, 5)), features, measured, cv=5)
    return "correlation x 100", 100 * spearmanr(predicted, measured).statistic
