"""Figures and reports about models. The drawing libraries are imported when they are first needed."""

from gensim_wordrank.plots.documents import Document, Figure, Heading, Image, Paragraph, Table, save
from gensim_wordrank.plots.figures import loss_curves, loss_functions, quality_curves, score_bars
from gensim_wordrank.plots.maps import change_map, word_map
from gensim_wordrank.plots.report import model_report
from gensim_wordrank.plots.spec import Panel, Series

__all__ = [
    "Document", "Figure", "Heading", "Image", "Panel", "Paragraph", "Series", "Table", "change_map", "loss_curves",
    "loss_functions", "model_report", "quality_curves", "save", "score_bars", "word_map",
]  # fmt: skip
