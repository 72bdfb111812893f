"""Why an edge is there, or is not."""
