"""Pictures of graphs: where things go (`layout`), and how that is written (`svg`)."""
