"""What lies in a project, by name: pytest and the commands beside it have to find the same."""

STORE_FOLDER = ".llmarith"
STORE_FILE = "store.sqlite"
OEIS_CACHE_FOLDER = "oeis_cache"
REPORTS_FOLDER = "reports"
