"""Room: the numbers of a run as tables of text. It does not know how they were counted, nor where records lie."""
