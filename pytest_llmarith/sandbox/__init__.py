"""Room: programs that nobody trusts, run under limits. Program and inputs go in, outputs and times come out.

It does not know the OEIS, nor what a program is expected to print.
"""
