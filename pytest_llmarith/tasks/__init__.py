"""The tasks: their interface, prompts and searches, and one module or package for each
built-in task.
"""
