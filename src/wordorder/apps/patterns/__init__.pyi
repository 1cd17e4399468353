from wordorder.apps.patterns.patterns import patterns as patterns
from wordorder.apps.patterns.results import Pattern as Pattern
from wordorder.apps.patterns.results import Patterns as Patterns
