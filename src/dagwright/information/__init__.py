"""What variables tell about each other, and what a score says about that."""
