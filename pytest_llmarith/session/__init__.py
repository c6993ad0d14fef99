"""Room: one pytest run, as its controller, a worker or the only process. It puts the rooms below together."""
