"""Figures and reports about models. The drawing libraries are imported when they are first needed."""

from gensim_wordrank.plots.documents import Document, Heading, Paragraph, Table, save
from gensim_wordrank.plots.figures import loss_curves, loss_functions, quality_curves, word_map
from gensim_wordrank.plots.report import model_report
from gensim_wordrank.plots.spec import Figure, Panel, Series

__all__ = [
    "Document", "Figure", "Heading", "Panel", "Paragraph", "Series", "Table", "loss_curves", "loss_functions",
    "model_report", "quality_curves", "save", "word_map",
]  # fmt: skip
