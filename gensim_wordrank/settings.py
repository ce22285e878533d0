"""The constants that vectors depend on.

They are not parameters: users have no reason to change them. Section numbers refer to benchmarks/EXPERIMENTS.md, the
log of the experiments that chose them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """What the sampled solver and the objective do not let users choose. Tests pass other values."""

    # ---- start values Initial vectors have a length of about this / sqrt(12): short, so that all contexts start with
    # nearly the same score. Starting from singular vectors instead was tried in section 6; no run varies the length of
    # random vectors.
    initial_length: float = 1.0
    # AdaGrad accumulators start here, so that the first gradients do not shorten all later steps. The first runs of the
    # log started from 1 (section 1); no run varies it since.
    initial_accumulator: float = 0.05

    # ---- rare words (section 14)
    # Rare words start from a common vector of this length, which acts as a prior mean.
    common_length: float = 2.5
    # A word with this count starts halfway between the common vector and a random one. Rarity is a power of the count
    # that makes words with 5 or more ordinary: in vocabularies without rarer words, nothing changes.
    rare_count: float = 3.0
    rare_power: float = 5.0
    # In texts where half of the tokens belong to words with fewer occurrences, such as a few sentences, no word is
    # rare beside the others.
    typical_count: float = 25.0
    # The accumulator of a word with that count starts this much higher, for up to so many epochs.
    rare_accumulator: float = 12.0
    usual_epochs: int = 10

    # ---- vectors that users give (section 14)
    # Their accumulators start at this, divided by their mean squared length: they take steps like those of words seen
    # hundreds of times.
    given_accumulator: float = 5000.0

    # ---- sampling
    # Expected draws per epoch of a pair of weight 1. Half as many were tried in section 2.
    draws_per_weight: float = 20.0
    # Negatives that all pairs of a group of words share. 64 were tried in section 2; 256 help analogies, for 1.4 times
    # the time (section 8).
    n_negatives: int = 128
    # Negatives are drawn in proportion to 1 + this * frequency^0.75 (mean 1), because frequent contexts decide most
    # ranks. 0, 1, 4 and 12 are compared in sections 5, 6 and 10.
    frequent_negatives: float = 4.0

    # ---- schedule
    # One epoch in this many belongs to the final phase, in which the learning rate falls and ranks are not sharpened. A
    # rate that falls in all epochs is no better (section 9).
    final_fraction: int = 5
    # Before the final phase ranks are multiplied by this. A sharp loss learns analogies, a blunt one similarity, and a
    # few blunt epochs at the end are enough for the latter (section 9).
    sharpness: float = 5.0

    # ---- divergence Vectors of zeros rank every pair at |C| - 1. An epoch has diverged if its mean loss is that of
    # this many times the rank, and a run that ends above the second multiple is warned of. All runs of section 13 that
    # learnt stayed below 1.1. Long vectors of a warm start begin above 1.
    diverged_rank: float = 100.0
    suspicious_rank: float = 1.5

    # ---- small texts Below this many pairs a text counts as small: steps are shorter and the L2 term is stronger. 1M,
    # 4M and noisy texts are compared in section 9.
    many_pairs: float = 5e7
    min_learning_rate_scale: float = 0.35
    max_l2_scale: float = 2.0

    # ---- blocks Contexts per block: few enough for their vectors to stay in a core's cache, enough for fair negatives.
    # Where the time goes is in section 4.
    max_block: int = 16384
    min_block: int = 256
    # Enough for the cores of an ordinary machine, where the vocabulary allows it. 16 and 32 blocks end no better
    # (sections 5 and 10).
    usual_blocks: int = 8

    # ---- basis of the finished vectors Added to every direction's variance, in units of the mean variance, so that
    # whitening does not inflate directions with little of it. 2 and 4 trade a few tenths of one test set for those of
    # another (section 11).
    whitening_ridge: float = 3.0
    # Where u and v of a word oppose each other, v is made this much longer and u this much shorter: the sum of u = 1
    # and v = -1 becomes -2, as long as the sum of two vectors that agree (sections 10 and 11).
    opposed_stretch: float = 1 + math.sqrt(2)
    # No direction has less than this share of the mean variance, for vocabularies that do not span all directions
    # (section 11).
    min_variance: float = 1e-6

    # ---- subwords (section 12)
    # A word of this count has half the weight of a frequent one in the regression on n-grams.
    subword_noise: float = 100.0
    # Weight of the prior of n-grams, and steps of conjugate gradients; more steps fit rare n-grams more closely.
    ngram_penalty: float = 1.0
    regression_steps: int = 5
    # An unknown word is treated as if it occurred this often, less than any word of a usual vocabulary.
    unknown_count: float = 2.0
    # Share of the n-grams' prediction that is added to the sum of a frequent word, and the count at which it is half:
    # more of it answers more syntactic and fewer semantic questions.
    subword_strength: float = 1.1
    sum_noise: float = 30.0


SETTINGS = Settings()
