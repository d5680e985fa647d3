"""What the results show: tables, figures, claims and the page."""
