"""Order errors in translations: which segments have their words in the wrong order, and which words must move."""

from wordorder.finding.find import find as find
from wordorder.finding.findings import Finding as Finding
from wordorder.finding.findings import Findings as Findings
from wordorder.finding.findings import Move as Move
