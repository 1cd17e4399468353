"""The server of a study: who may do what, what a browser is told, and the page for the researcher."""
