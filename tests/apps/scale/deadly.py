"""A job that kills the process that works on one of its parts; worker processes import it from here."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass

from wordorder.apps.scale.jobs import Work
from wordorder.apps.scale.parts import Part
from wordorder.apps.scale.scores import ScoreJob


@dataclass(frozen=True)
class DeadlyJob(ScoreJob):
    """Score all parts but one."""

    deadly: str = ""

    def begin(self, part: Part) -> Work:
        """Die of one part, without a word."""
        if part.name == self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().begin(part)
