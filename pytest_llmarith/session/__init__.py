"""A pytest run: collection, ask, controller, xdist, recorder, terminal, forecast."""
