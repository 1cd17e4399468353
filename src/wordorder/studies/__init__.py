"""Human studies of word order: from stimuli to findings."""
