"""Shows results: tables in every format, the page, figures."""
