"""spec2vec: `train_new_word2vec_model(documents, [10, 20])` and the Spec2Vec score of generated mass spectra."""

import numpy as np
from matchms import Spectrum, calculate_scores
from spec2vec import Spec2Vec, SpectrumDocument
from spec2vec.model_building import train_new_word2vec_model


def run():
    """Find spectra of the same of 30 molecules."""
    random = np.random.RandomState(0)
    peaks = [np.sort(random.uniform(50, 900, 40).round(1)) for _ in range(30)]
    spectra = []
    for i in range(240):
        masses = np.unique(np.concatenate([random.choice(peaks[i % 30], 12), random.uniform(50, 900, 8).round(1)]))
        spectra.append(Spectrum(mz=masses, intensities=random.uniform(0.1, 1, len(masses)), metadata={"id": str(i)}))
    documents = [SpectrumDocument(spectrum, n_decimals=1) for spectrum in spectra]
    model = train_new_word2vec_model(documents, [10, 20], vector_size=50, workers=1, progress_logger=True)
    similarity = Spec2Vec(model, intensity_weighting_power=0.5, allowed_missing_percentage=50)
    scores = calculate_scores(documents, documents, similarity)
    matrix = scores.scores.to_array() if hasattr(scores.scores, "to_array") else np.asarray(scores.scores)
    matrix = matrix[matrix.dtype.names[0]] if matrix.dtype.names else matrix
    np.fill_diagonal(matrix, -2)
    return "same molecule", 100 * np.mean(matrix.argmax(axis=1) % 30 == np.arange(240) % 30)
