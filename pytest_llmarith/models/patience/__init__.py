"""Room: a question's way to its model: what went wrong, when it is tried again, how many are under way."""
