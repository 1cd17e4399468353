from wordorder.apps.find.find import find as find
from wordorder.apps.find.findings import Finding as Finding
from wordorder.apps.find.findings import Findings as Findings
from wordorder.apps.find.findings import Move as Move
