"""From inputs to scores: systems × metrics × segments."""
