"""Room: what is written down about a run. It does not know models or prompts."""
