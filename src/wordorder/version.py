"""The version, in one place: the package, the signature of a score and the wheel all read it."""

__version__ = "1.0.0rc1"
