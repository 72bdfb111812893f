"""Undirected models: distributions given by factors, learned by matching moments."""
