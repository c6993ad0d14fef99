"""The corpus of numeric replies: what makes it, and what runs other graders over it."""
