"""Room: what requests cost, and whether the next one may be begun. It sends none."""
