"""Room: replies on disk, shared by the runs that ask for them. It does not know models, nor what a key is made of."""
