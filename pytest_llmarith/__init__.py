"""Benchmark language models as pytest items where the right answer is known exactly."""
