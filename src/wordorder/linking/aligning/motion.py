"""Models of how an alignment moves from word to word, independently of the words themselves.

Every model explains the words of one side (*observed*) by the words of the other side (*states*) or by the null word,
which has the fixed probability ``null`` everywhere. The models differ in the probability that state i is chosen for
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

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wordorder.core.runtime.columns import Float32s, Floats
from wordorder.linking.aligning.cooccurrence import Bitext
from wordorder.linking.aligning.diagonal import diagonal_posteriors
from wordorder.linking.aligning.hmm import FARTHEST, hmm_posteriors

_LOOSEST, _TIGHTEST = 0.1, 50.0
_JUMP_PRIOR = 1.0  # added to the expected number of jumps of each width


@dataclass(frozen=True, eq=False)
class Posteriors:
    """Posterior probabilities of some sentence pairs in one direction.

    ``links`` has one value per cell, ``null`` one per observed word; ``statistics`` is what the motion learns from.
    """

    links: Floats
    null: Floats
    statistics: Floats


class Motion(ABC):
    """The common base of the three models."""

    kernel: ClassVar[Callable[..., None]]
    statistics: ClassVar[int]

    @property
    @abstractmethod
    def parameters(self) -> Floats:
        """The learned numbers."""

    @abstractmethod
    def learn(self, statistics: Floats) -> Motion:
        """Return the motion that fits the statistics summed over the training text."""

    def posteriors(
        self, text: Bitext, emissions: Float32s, null_emissions: Floats, *, null: float, backward: bool
    ) -> Posteriors:
        """Return the posterior probability of every cell, and that of the null word for every observed word."""
        result = Posteriors(np.empty(len(emissions)), np.empty(len(null_emissions)), np.zeros(self.statistics))
        shape = text.source_offsets, text.target_offsets, backward
        found = result.links, result.null, result.statistics
        self.kernel(shape, (emissions, null_emissions, null), self.parameters, found)
        return result


@dataclass(frozen=True)
class Diagonal(Motion):
    """Alignments near the diagonal: the larger the tension λ, the nearer; with λ = 0 they are uniform.

    Learning is one Newton step on the expected log-likelihood, which is concave in λ.
    """

    kernel = staticmethod(diagonal_posteriors)
    statistics = 3

    tension: float = 4.0
    fixed: bool = False

    @property
    def parameters(self) -> Floats:
        """The tension λ."""
        return np.array([self.tension])

    def learn(self, statistics: Floats) -> Diagonal:
        """Change λ by (observed − expected closeness)/variance."""
        found, expected, variance = statistics.tolist()
        if self.fixed or variance <= 0:
            return self
        step = (found - expected) / variance
        return Diagonal(min(max(self.tension + step, self.tension / 2, _LOOSEST), 2 * self.tension, _TIGHTEST))


UNIFORM = Diagonal(tension=0.0, fixed=True)
"""IBM model 1."""


@dataclass(frozen=True, eq=False)
class Jumps(Motion):
    """Weights of the jumps −10 … 10 from state to state; the two outermost weights cover all wider jumps.

    Learning maximises Σ N(d) log c(d) − Σ_i n_i log Z_i, where N(d) is the expected number of jumps of width d and
    n_i the expected number of jumps that leave position i: c(d) ← N(d) / Σ_i (n_i / Z_i), summed over the positions
    from which d stays inside the sentence (a minorise-maximise step, which does not penalise wide jumps for being
    rarely possible).
    """

    kernel = staticmethod(hmm_posteriors)
    statistics = 2 * (2 * FARTHEST + 1)

    weights: Floats

    @classmethod
    def start(cls) -> Jumps:
        """Return weights with a mild preference for the next word."""
        widths = np.arange(-FARTHEST, FARTHEST + 1)
        return cls(_normalised(0.7 ** np.abs(widths - 1) + 0.02))

    @property
    def parameters(self) -> Floats:
        """The weights."""
        return self.weights

    def learn(self, statistics: Floats) -> Jumps:
        """Fit the weights to the expected numbers of jumps and of chances for them."""
        jumps, chances = np.split(statistics, 2)
        if jumps.sum() <= 0:
            return self
        prior_chances = _JUMP_PRIOR * chances.sum() / jumps.sum()
        return Jumps(_normalised((jumps + _JUMP_PRIOR) / (chances + prior_chances)))


def both_posteriors(
    motions: tuple[Motion, Motion],
    text: Bitext,
    emissions: tuple[Float32s, Float32s],
    null_emissions: tuple[Floats, Floats],
    *,
    null: float,
) -> tuple[Posteriors, Posteriors]:
    """Return the posteriors of the forward and of the backward direction.

    ``emissions`` are t(f|e) and t(e|f) of every cell; ``null_emissions`` are the probabilities with which the null
    word produces every source word and every target word.
    """
    forward = motions[0].posteriors(text, emissions[0], null_emissions[1], null=null, backward=False)
    return forward, motions[1].posteriors(text, emissions[1], null_emissions[0], null=null, backward=True)


def _normalised(weights: Floats) -> Floats:
    result: Floats = weights / weights.sum()
    return result
