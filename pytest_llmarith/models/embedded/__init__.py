"""Room: the embedded, simulated models. They see a prompt as any model would: no problem, no expected answer."""
