"""Which files hold local scores."""

__all__ = ["is_jkl"]


def is_jkl(path: str) -> bool:
    """Say whether a file is one of local scores, by its ending."""
    return path.lower().removesuffix(".gz").endswith(".jkl")
