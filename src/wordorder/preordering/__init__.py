"""Pre-ordering: reordering rules over parsed sentences, and how good the orders are that they give."""
