"""The core: the data types that the rest of the package uses, and the mathematics over them."""
