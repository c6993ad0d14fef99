"""Performance measurements, mostly as ratios within one run: `make perf`."""
