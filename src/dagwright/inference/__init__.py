"""Answers from a network of full tables: exact, by messages, by samples."""
