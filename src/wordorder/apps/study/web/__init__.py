"""The web server of a study: access rules, the pages of participants, and the page of the researcher."""
