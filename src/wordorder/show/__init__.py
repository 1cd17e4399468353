"""Visual output: pictures of sentences, and the explorer, an HTML page for browsing scores."""
