"""Which words belong together: matching with the reference, alignment with the source, parses."""
