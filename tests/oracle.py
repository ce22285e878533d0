"""Slow, obvious implementations of all kernels in float64, directly from the paper's formulas."""

import math

import numpy as np
from scipy.linalg import eigh, sqrtm


def cooccurrence(sentences, ids, window, symmetric=True, distance_weighting=True):
    """Count pairs one by one, after unknown words are removed."""
    counts = np.zeros((len(ids), len(ids)))
    for sentence in sentences:
        known = [ids[word] for word in sentence if word in ids]
        for i, center in enumerate(known):
            for j, other in enumerate(known):
                distance = i - j if not symmetric else abs(i - j)
                if 1 <= distance <= window:
                    counts[center, other] += 1 / distance if distance_weighting else 1
    return counts


RANK_LOSSES = {
    "identity": lambda x, t: x,
    "log": lambda x, t: np.log1p(x) / np.log(2),  # log2(1 + x) would lose small x
    "dcg": lambda x, t: 1 - 1 / np.log2(2 + x),
    "log_t": lambda x, t: np.expm1((1 - t) * np.log(x)) / (1 - t),
}
RANK_SLOPES = {
    "identity": lambda x, t: np.ones_like(x),
    "log": lambda x, t: 1 / ((1 + x) * np.log(2)),
    "dcg": lambda x, t: 1 / (np.log2(2 + x) ** 2 * (2 + x) * np.log(2)),
    "log_t": lambda x, t: x**-t,
}
PAIR_LOSSES = {"hinge": lambda x: np.maximum(0, 1 - x), "logistic": lambda x: np.logaddexp2(0, -x)}
PAIR_SLOPES = {"hinge": lambda x: np.where(x < 1, -1.0, 0.0), "logistic": lambda x: -1 / (1 + 2.0**x)}


def pairs(counts):
    """Return the pairs (w, c) in the order of the CSR matrix, and their counts."""
    coo = counts.matrix.tocoo()
    return list(zip(coo.row.tolist(), coo.col.tolist(), strict=True)), coo.data.astype(np.float64)


def weights(counts, objective):
    """Return the weights of equation (4), of the counts' excess over the discounted expected counts, or ones."""
    x = counts.matrix.toarray().astype(np.float64)
    expected = np.outer(x.sum(axis=1), x.sum(axis=0)) / (x.sum() or 1)
    excess = np.maximum(0, x - objective.discount * expected)
    x = np.array([excess[pair] for pair in pairs(counts)[0]])
    return np.minimum(1, (x / objective.x_max) ** objective.epsilon) if objective.weighted else np.ones(len(x))


def ranks(words, contexts, counts, pair_loss):
    """Return the ranks of equation (2) by a loop over pairs, in O(|Omega| |C|)."""
    scores = np.asarray(words, np.float64) @ np.asarray(contexts, np.float64).T
    loss = PAIR_LOSSES[pair_loss]
    return np.array(
        [sum(loss(scores[w, c] - scores[w, d]) for d in range(len(contexts)) if d != c) for w, c in pairs(counts)[0]],
        dtype=np.float64,
    )


def effective_l2(objective, n_contexts, n_pairs):
    """Return l2 times the gradient of a pair that all other contexts violate by 1; twice as much for few pairs."""
    more = 2 if n_pairs < 25_000_000 else 1 if n_pairs > 50_000_000 else 50_000_000 / n_pairs
    slope = RANK_SLOPES[objective.rank_loss](
        np.float64(n_contexts - 1 + objective.rank_offset) / objective.rank_scale, objective.t
    )
    return more * objective.l2 * slope * (n_contexts - 1) / objective.rank_scale


def penalty(words, contexts, counts, objective):
    """Return the L2 term."""
    words, contexts = np.asarray(words, np.float64), np.asarray(contexts, np.float64)
    r = weights(counts, objective)
    return (
        effective_l2(objective, len(contexts), len(r))
        / 2
        * sum(
            ri * (words[w] @ words[w] + contexts[c] @ contexts[c])
            for ri, (w, c) in zip(r, pairs(counts)[0], strict=True)
        )
    )


def value(words, contexts, counts, objective):
    """Return J(U, V), equation (9)."""
    x = (ranks(words, contexts, counts, objective.pair_loss) + objective.rank_offset) / objective.rank_scale
    rho = RANK_LOSSES[objective.rank_loss](x, objective.t)
    return weights(counts, objective) @ rho + penalty(words, contexts, counts, objective)


def bound(words, contexts, counts, objective, xi):
    """Return the bound of equation (11)."""
    x = (ranks(words, contexts, counts, objective.pair_loss) + objective.rank_offset) / objective.rank_scale
    at = 1 / np.asarray(xi, np.float64)
    rho = RANK_LOSSES[objective.rank_loss](at, objective.t)
    slope = RANK_SLOPES[objective.rank_loss](at, objective.t)
    return weights(counts, objective) @ (rho + slope * (x - at)) + penalty(words, contexts, counts, objective)


def bound_gradient(words, contexts, counts, objective, xi):
    """Return the gradient of equation (11) with respect to U and V, summed over triplets."""
    words, contexts = np.asarray(words, np.float64), np.asarray(contexts, np.float64)
    scores = words @ contexts.T
    grad_words, grad_contexts = np.zeros_like(words), np.zeros_like(contexts)
    slopes = RANK_SLOPES[objective.rank_loss](1 / np.asarray(xi, np.float64), objective.t)
    decay = effective_l2(objective, len(contexts), len(slopes))
    for (w, c), r, slope in zip(pairs(counts)[0], weights(counts, objective), slopes, strict=True):
        grad_words[w] += decay * r * words[w]
        grad_contexts[c] += decay * r * contexts[c]
        for d in range(len(contexts)):
            if d != c:
                g = r * slope / objective.rank_scale * PAIR_SLOPES[objective.pair_loss](scores[w, c] - scores[w, d])
                grad_words[w] += g * (contexts[c] - contexts[d])
                grad_contexts[c] += g * words[w]
                grad_contexts[d] -= g * words[w]
    return grad_words, grad_contexts


def value_gradient(words, contexts, counts, objective):
    """Return the gradient of J, which is that of its bound at the exact xi, where the two touch."""
    x = (ranks(words, contexts, counts, objective.pair_loss) + objective.rank_offset) / objective.rank_scale
    return bound_gradient(words, contexts, counts, objective, 1 / x)


def random_below(state, bound):
    """Return the next state of SplitMix64 and a random number below `bound`, as the kernels do."""
    mask = 2**64 - 1
    state = (state + 0x9E3779B97F4A7C15) & mask
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return state, ((z ^ (z >> 31)) * bound) >> 64


def algorithm_1(words, contexts, counts, objective, xi, n_triplets, learning_rate, seed):
    """Run lines 5 to 10 of Algorithm 1 with the L2 term; return U, V and the sums of j / |Omega| and r."""
    words, contexts = np.array(words, np.float64), np.array(contexts, np.float64)
    omega, r = pairs(counts)[0], weights(counts, objective)
    total, weight, state = 0.0, 0.0, seed
    for _ in range(n_triplets):
        state, p = random_below(state, len(omega))
        (w, c) = omega[p]
        state, d = random_below(state, len(contexts) - 1)
        d += d >= c
        u, v, v_other = words[w].copy(), contexts[c].copy(), contexts[d].copy()
        at, margin = np.float64(1 / np.float64(xi[p])), u @ (v - v_other)
        rho, slope = (f[objective.rank_loss](at, objective.t) for f in (RANK_LOSSES, RANK_SLOPES))
        rank = (len(contexts) - 1) * PAIR_LOSSES[objective.pair_loss](margin)
        weight += r[p]
        total += r[p] * (rho + slope * ((rank + objective.rank_offset) / objective.rank_scale - at))
        g = learning_rate * r[p] * slope * PAIR_SLOPES[objective.pair_loss](margin)
        decay = effective_l2(objective, len(contexts), len(omega)) * objective.rank_scale / (len(contexts) - 1)
        words[w] = u - g * (v - v_other) - learning_rate * r[p] * decay * u
        contexts[c] = v - g * u - learning_rate * r[p] * decay * v
        contexts[d] = v_other + g * u
    return words, contexts, total, weight


def whiten(words, contexts, frequencies, ridge, least):
    """Return the whitened vectors, computed word by word and direction by direction with matrix roots of scipy."""
    words, contexts, size = words.astype(np.float64), contexts.astype(np.float64), words.shape[1]

    def moments(left, right, weights):
        return sum(weight * np.outer(x, y) for weight, x, y in zip(weights, left, right, strict=True))

    def floored(matrix):
        return matrix + least * np.trace(matrix) / size * np.eye(size)

    # the basis in which u and v have the same second moments: A A' is the geometric mean of G and E^-1
    of_words = floored(moments(words, words, np.sqrt(frequencies)))
    of_contexts = floored(moments(contexts, contexts, np.sqrt(frequencies)))
    root = sqrtm(of_words)
    mean = np.linalg.inv(root) @ sqrtm(root @ of_contexts @ root) @ np.linalg.inv(root)
    balance = sqrtm(mean)
    words, contexts, moment = words @ balance, contexts @ np.linalg.inv(balance), balance @ of_words @ balance
    cross = moments(words, contexts, np.ones(len(words)))
    values, directions = eigh(cross + cross.T)
    others = directions[:, values >= 0]
    weighted = moments(words @ others, words @ others, frequencies)
    variances, axes = eigh(weighted)
    new_words, new_contexts = 0.0, 0.0
    for n in directions[:, values < 0].T:
        new_words = new_words + np.outer(words @ n, n) / (1 + math.sqrt(2))
        new_contexts = new_contexts + np.outer(contexts @ n, n) * (1 + math.sqrt(2))
    lengths = [1 / math.sqrt(value / np.mean(variances) + ridge) for value in variances]
    along = (others @ axes).T
    of_u = sum(n @ moment @ n * length**2 for n, length in zip(along, lengths, strict=True))
    of_v = sum(n @ moment @ n / length**2 for n, length in zip(along, lengths, strict=True))
    for n, length in zip(along, lengths, strict=True):
        longer = length * (of_v / of_u) ** 0.25
        new_words = new_words + np.outer(words @ n, n) * longer
        new_contexts = new_contexts + np.outer(contexts @ n, n) / longer
    return new_words, new_contexts


def ngram_variances(ngrams, weights, vectors):
    """Return, for each n-gram, the weighted mean inner product of two different words that have it, at least 0."""
    counts, vectors = ngrams.toarray().astype(np.float64), np.asarray(vectors, np.float64)
    variances = []
    for shares in (counts * np.asarray(weights, np.float64)[:, None]).T:
        together, total = 0.0, 0.0
        for i, x in enumerate(vectors):
            for j, y in enumerate(vectors):
                if i != j:
                    together += shares[i] * shares[j] * (x @ y)
                    total += shares[i] * shares[j]
        variances.append(max(0.0, together / total) if total else 0.0)
    return np.array(variances)


def ngram_rows(ngrams, weights, vectors, penalty):
    """Return the rows of all n-grams by the normal equations of the weighted ridge regression."""
    variances, weights = ngram_variances(ngrams, weights, vectors), np.asarray(weights, np.float64)[:, None]
    used = variances > 0
    design = ngrams.toarray().astype(np.float64)[:, used]
    rows = np.zeros((len(variances), np.shape(vectors)[1]))
    normal = design.T @ (weights * design) + np.diag(penalty / variances[used])
    rows[used] = np.linalg.solve(normal, design.T @ (weights * np.asarray(vectors, np.float64)))
    return rows
