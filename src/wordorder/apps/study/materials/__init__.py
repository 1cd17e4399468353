"""How the items of a study are made, by kind."""
