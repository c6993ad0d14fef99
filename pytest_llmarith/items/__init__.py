"""Room: problems as pytest items, and outcomes as pytest shows them. It does not know models or grading."""
