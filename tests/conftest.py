"""Puts this folder on the path, so that tests can say ``from oracle.graphs import ...``."""
