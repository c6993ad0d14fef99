"""Programs under limits: a program and its inputs go in, outputs and times come out."""
