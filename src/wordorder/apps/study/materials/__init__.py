"""Functions that make the items of each kind of study."""
