"""Posteriors over graphs: how probable edges, parents and paths are, given the data."""
