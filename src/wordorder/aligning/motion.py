"""How an alignment moves from word to word: the part of a model that does not look at the words themselves.

Every model explains the words of one side (*observed*) by the words of the other (*states*) or by the null word,
which has the fixed probability ``null`` everywhere. They differ in the probability that state i is chosen for
observed word j:

========  =================================================================================================
uniform   1/I: IBM model 1 (Brown et al. 1993)
diagonal  exp(−λ |i/I − j/J|)/Z_j: the reparameterised model 2 of Dyer, Chahuneau & Smith (2013)
jumps     c(i − i')/Z_i' after state i': the hidden Markov model of Vogel, Ney & Tillmann (1996); a null word
          remembers the last state, as in Och & Ney (2003)
========  =================================================================================================

In the forward direction the source words are the states, in the backward direction the target words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from wordorder.aligning.cooccurrence import Bitext
from wordorder.aligning.diagonal import diagonal_posteriors
from wordorder.aligning.hmm import FARTHEST, hmm_posteriors

_LOOSEST, _TIGHTEST = 0.1, 50.0
_JUMP_PRIOR = 1.0  # added to the expected number of jumps of each width


@dataclass(frozen=True, eq=False)
class Posteriors:
    """Posterior probabilities of some sentence pairs in one direction.

    ``links`` has one value per cell, ``null`` one per observed word; ``statistics`` is what the motion learns from.
    """

    links: NDArray[np.float64]
    null: NDArray[np.float64]
    statistics: NDArray[np.float64]


class Motion(Protocol):
    """What the three models have in common."""

    @property
    def parameters(self) -> NDArray[np.float64]:
        """Give the numbers that were learnt, for the model's file."""

    def posteriors(
        self,
        text: Bitext,
        emissions: NDArray[np.float32],
        null_emissions: NDArray[np.float64],
        *,
        null: float,
        backward: bool,
    ) -> Posteriors:
        """Give the posterior probability of every cell and of the null word for every observed word."""

    def learn(self, statistics: NDArray[np.float64]) -> Motion:
        """Give the motion that fits the statistics summed over the training text."""


@dataclass(frozen=True)
class Diagonal:
    """Alignments near the diagonal, the nearer the larger the tension λ; with 0 they are uniform.

    Learning is one Newton step on the expected log-likelihood, which is concave in λ.
    """

    tension: float = 4.0
    fixed: bool = False

    @property
    def parameters(self) -> NDArray[np.float64]:
        """Give λ."""
        return np.array([self.tension])

    def posteriors(
        self,
        text: Bitext,
        emissions: NDArray[np.float32],
        null_emissions: NDArray[np.float64],
        *,
        null: float,
        backward: bool,
    ) -> Posteriors:
        """Give the posterior probability of every cell and of the null word for every observed word."""
        result = _room(emissions, null_emissions, 3)
        diagonal_posteriors(
            *_shape(text), backward, emissions, null_emissions, null, self.tension,
            result.links, result.null, result.statistics,
        )  # fmt: skip
        return result

    def learn(self, statistics: NDArray[np.float64]) -> Diagonal:
        """Move λ by (observed − expected closeness)/variance."""
        found, expected, variance = statistics.tolist()
        if self.fixed or variance <= 0:
            return self
        step = (found - expected) / variance
        return Diagonal(min(max(self.tension + step, self.tension / 2, _LOOSEST), 2 * self.tension, _TIGHTEST))


UNIFORM = Diagonal(tension=0.0, fixed=True)
"""IBM model 1."""


@dataclass(frozen=True, eq=False)
class Jumps:
    """Weights of the jumps −10 … 10 from state to state; the outermost two stand for every jump that is wider.

    Learning maximises Σ N(d) log c(d) − Σ_i n_i log Z_i, N(d) being the expected number of jumps of width d and n_i
    of jumps that leave place i: c(d) ← N(d) / Σ_i (n_i / Z_i), the sum running over the places from which d stays
    inside the sentence (a minorise-maximise step; it does not punish wide jumps for being seldom possible).
    """

    weights: NDArray[np.float64]

    @classmethod
    def start(cls) -> Jumps:
        """Prefer the next word, mildly."""
        widths = np.arange(-FARTHEST, FARTHEST + 1)
        return cls(_normalised(0.7 ** np.abs(widths - 1) + 0.02))

    @property
    def parameters(self) -> NDArray[np.float64]:
        """Give the weights."""
        return self.weights

    def posteriors(
        self,
        text: Bitext,
        emissions: NDArray[np.float32],
        null_emissions: NDArray[np.float64],
        *,
        null: float,
        backward: bool,
    ) -> Posteriors:
        """Give the posterior probability of every cell and of the null word for every observed word."""
        result = _room(emissions, null_emissions, 2 * len(self.weights))
        hmm_posteriors(
            *_shape(text), backward, emissions, null_emissions, null, self.weights,
            result.links, result.null, result.statistics,
        )  # fmt: skip
        return result

    def learn(self, statistics: NDArray[np.float64]) -> Jumps:
        """Fit the weights to the expected numbers of jumps and of chances for them."""
        jumps, chances = np.split(statistics, 2)
        if jumps.sum() <= 0:
            return self
        prior_chances = _JUMP_PRIOR * chances.sum() / jumps.sum()
        return Jumps(_normalised((jumps + _JUMP_PRIOR) / (chances + prior_chances)))


def _normalised(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = weights / weights.sum()
    return result


def _room(emissions: NDArray[np.float32], null_emissions: NDArray[np.float64], statistics: int) -> Posteriors:
    return Posteriors(np.empty(len(emissions)), np.empty(len(null_emissions)), np.zeros(statistics))


def _shape(text: Bitext) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return text.source_offsets, text.target_offsets
