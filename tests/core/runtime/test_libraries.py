"""Libraries that are imported on first use."""

import subprocess
import sys

FUNCTIONS = """
import sys
from wordorder.core.runtime.libraries import special
values = [special.stdtr(3, -2.0), special.ndtri(0.2), special.betainc(2.5, 1.0, 0.3)]
assert "scipy.special" not in sys.modules
from scipy import special as whole, stats
assert whole.ndtri is special.ndtri
assert values == [whole.stdtr(3, -2.0), whole.ndtri(0.2), whole.betainc(2.5, 1.0, 0.3)]
assert values[0] == stats.t.sf(2.0, 3)
"""


def test_functions_of_scipy_load_without_the_rest_of_the_package() -> None:
    subprocess.run([sys.executable, "-c", FUNCTIONS], check=True, timeout=300)
