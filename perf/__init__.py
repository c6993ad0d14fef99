"""Speed, as ratios measured within one run: `make perf`."""
