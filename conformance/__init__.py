"""Our values beside those of other tools on the same inputs: ``python -m conformance`` writes docs/conformance.md."""
