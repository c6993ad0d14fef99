"""Room: records in, numbers out: what trials say together, fed one by one. It does not know how a number is shown."""
