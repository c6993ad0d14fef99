"""Room: the switchboard. Hooks and fixtures of a few lines that forward; it does not know how anything is done."""
