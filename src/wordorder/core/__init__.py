"""The core: the data types used by the rest of the package, and mathematical operations on them."""
