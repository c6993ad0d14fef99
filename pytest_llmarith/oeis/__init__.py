"""Room: integer sequences and programs for them: entries and sets in a cache folder, their synchronisation with the
OEIS, the program in a reply, scores, and judges of lookup tables. It does not know pytest, models or the sandbox.
"""
