"""Room: the one broker that talks to models, its door to litellm and its store. It does not know problems or grades."""
