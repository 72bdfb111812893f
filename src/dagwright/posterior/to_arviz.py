"""Draws for arviz."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from dagwright.posterior.sampled import Posterior

__all__ = ["to_arviz"]


def to_arviz(posterior: Posterior) -> Any:
    """Return an InferenceData with the log scores and the edges of all draws."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # about its next version
            import arviz as az
    except ImportError as error:
        raise ImportError(
            "to_arviz needs arviz; install it with: pip install 'dagwright[arviz]'"
        ) from error
    edges = np.stack(list(posterior.edge_indicators()), axis=-1)
    stats = {"lp": posterior.scores}
    if posterior.log_weights is not None:
        stats["log_weight"] = posterior.log_weights
    names = list(posterior.names)
    return az.from_dict(
        posterior={"log_score": posterior.scores, "edge": edges},
        sample_stats=stats,
        coords={"parent": names, "child": names},
        dims={"edge": ["parent", "child"]},
    )
