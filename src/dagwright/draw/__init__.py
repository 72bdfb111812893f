"""Pictures of graphs: where things go (`layout`), how that is written (`svg`), shown (`drawn`)."""
