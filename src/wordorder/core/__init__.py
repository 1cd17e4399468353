"""The core: values and columns that everything else stands on, and the mathematics over them."""
