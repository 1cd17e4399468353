"""Applications: one folder each, with its library, commands and pages; each can be deleted."""
