"""The vectors of a model: where they start, and the basis they end in."""

from __future__ import annotations

import numpy as np
from gensim.models import KeyedVectors

from gensim_wordrank import keyedvectors
from gensim_wordrank.base import GensimModel
from gensim_wordrank.training import whitening
from gensim_wordrank.training.state import INITIAL_ACCUMULATOR, State, initial_vectors
from gensim_wordrank.types import Vectors


class StatefulModel(GensimModel):
    """A model with a vocabulary and a vector of each word and context."""

    epochs_done: int
    training_losses: list[float]
    _counted: list[str]
    _past: Vectors

    # ---- start values

    def init_weights(self) -> None:
        """Give every word and context of the vocabulary a random start vector."""
        n = len(self.wv.index_to_key)
        self.wv.vectors = initial_vectors(n, self.vector_size, self.seed, part=0)
        self.context_vectors = initial_vectors(n, self.vector_size, self.seed, part=1)
        self.context_bias = np.empty(0, np.float32)  # starts from the co-occurrences, once they are counted
        self._past = np.full((2, n), INITIAL_ACCUMULATOR, np.float32)
        self.wv.norms, self.wv.vectors_lockf = None, np.ones(1, np.float32)
        self.cooccurrence, self._counted, self.epochs_done = None, [], 0
        self.training_losses = []

    def update_weights(self) -> None:
        """Give new words and contexts a start vector; the others keep theirs."""
        old = len(self.wv.vectors)
        self._refuse_parts()
        if not old:
            raise RuntimeError("There is no vocabulary to update. Call build_vocab() without update=True first.")
        n = len(self.wv.index_to_key)
        fresh = [initial_vectors(n, self.vector_size, self.seed, part)[old:] for part in (0, 1)]
        self.wv.vectors = np.vstack([self.wv.vectors, fresh[0]])
        self.context_vectors = np.vstack([self.context_vectors, fresh[1]])
        self._past = np.hstack([self._past, np.full((2, n - old), INITIAL_ACCUMULATOR, np.float32)])
        keyedvectors.lengthen_locks(self.wv)
        self.wv.norms = None

    def warm_start(self, words: KeyedVectors, contexts: KeyedVectors | None = None) -> int:
        """Let words that `words` knows start from its vectors, and contexts from those of `contexts`.

        Call it between :meth:`build_vocab` and :meth:`train`, or pass `warm_start` to the constructor.

        Returns
        -------
        int
            How many words of the vocabulary took a vector.

        Examples
        --------
        >>> from gensim.test.utils import common_texts
        >>> from gensim_wordrank import WordRank
        >>> first = WordRank(common_texts, vector_size=20, min_count=1, epochs=5)
        >>> second = WordRank(vector_size=20, min_count=1)
        >>> second.build_vocab(common_texts)
        >>> second.warm_start(first.vectors("word"), first.vectors("context"))
        12
        """
        known = self.wv.index_to_key
        new_words, taken = keyedvectors.taken_over(words, known, self.wv.vectors)
        if contexts is not None:
            self.context_vectors, _ = keyedvectors.taken_over(contexts, known, self.context_vectors)
        self.wv.vectors, self.wv.norms = new_words, None
        return taken

    # ---- what training changes

    def _state(self) -> State:
        """Return what training changes, as it stands."""
        past_of_words, past_of_contexts = self._past
        return State(
            self.wv.vectors, self.context_vectors, self.context_bias, past_of_words, past_of_contexts, self.epochs_done
        )

    def _take(self, state: State) -> None:
        """Make a state the model's own."""
        self.wv.vectors, self.context_vectors, self.context_bias = state.words, state.contexts, state.bias
        self._past = np.stack([state.word_accumulator, state.context_accumulator])
        self.epochs_done = state.epoch
        self.wv.norms = None  # or a callback would see cosines of the epoch before

    def _change_basis(self) -> None:
        """Bring the vectors into the basis for use, in which all scores stay; locked ones stay as they are."""
        if keyedvectors.are_free(self.wv):
            new, inverse = whitening.choose(self.wv.vectors, self.context_vectors, keyedvectors.frequencies(self.wv))
            self.wv.vectors = whitening.in_basis(self.wv.vectors, new)
            self.context_vectors = whitening.in_basis(self.context_vectors, inverse)
            self.wv.norms = None
