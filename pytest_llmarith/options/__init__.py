"""Room: every option and ini value, parsed by pure functions into one frozen `Settings`.

It does not know tasks or models; it knows pytest only to declare options and to read them.
"""
