"""The grader in the forms that other tools call.

Each module needs its tool; this package needs none of them.
"""
