"""Order errors in translations: which segments have their words in the wrong order, and which words must move."""

from wordorder.apps.find.find import find as find
from wordorder.apps.find.findings import Finding as Finding
from wordorder.apps.find.findings import Findings as Findings
from wordorder.apps.find.findings import Move as Move
