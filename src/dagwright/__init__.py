"""Learn the structure of probabilistic graphical models from tables."""
