"""The tasks: their interface, prompts and searches, and each built-in task."""
