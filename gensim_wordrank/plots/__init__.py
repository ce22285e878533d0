"""Pictures and reports of models."""

from gensim_wordrank.plots.figures import loss_curves, loss_functions, quality_curves, save, word_map

__all__ = ["loss_curves", "loss_functions", "quality_curves", "save", "word_map"]
