"""Visual output: pictures of sentences, and the explorer, a page of scores for a browser."""
