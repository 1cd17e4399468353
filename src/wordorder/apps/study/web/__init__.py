"""The web server of a study: access rules, the pages for participants, and the admin page."""
