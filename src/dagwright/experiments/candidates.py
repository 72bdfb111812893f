"""Ways to learn that are to be compared: every combination of scores, searches and priors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from itertools import product
from typing import Any

from dagwright.constraints import Constraints
from dagwright.errors import SpecError
from dagwright.experiments.held_out import check_held_out_parameters
from dagwright.family_tables import Parameters, parameters_of_score
from dagwright.provenance import described
from dagwright.scorer import Scorer
from dagwright.scores import BIC, NativeScore, Score
from dagwright.search import HillClimb
from dagwright.search.base import Search, check_search
from dagwright.specs import Spec
from dagwright.structure_priors import StructurePrior, Uniform

__all__ = ["Candidate", "candidates_of", "spec_text"]


@dataclass(frozen=True, eq=False)
class Candidate:
    """One way to learn a graph and to fit it."""

    score: Score
    search: Search
    structure_prior: StructurePrior
    parameters: NativeScore
    label: str

    def to_dict(self) -> dict[str, Any]:
        """Return the specs as plain values."""
        return {
            "label": self.label,
            "score": described(self.score),
            "search": described(self.search),
            "structure_prior": described(self.structure_prior),
            "parameters": described(self.parameters),
        }


def candidates_of(
    scores: Score | Sequence[Score] | None,
    searches: Search | Sequence[Search] | None,
    structure_priors: StructurePrior | Sequence[StructurePrior] | None,
    parameters: Parameters | None,
    scorer: Scorer,
    constraints: Constraints,
) -> tuple[Candidate, ...]:
    """Return all combinations; labels have what differs, and refusals come before the work."""
    given = None if parameters is None else check_held_out_parameters(parameters)
    parts = []
    for search, score, prior in product(
        _listed(searches, HillClimb()), _listed(scores, None), _listed(structure_priors, Uniform())
    ):
        check_search(search)
        own = score or getattr(search, "default_score", None) or BIC()
        parts.append((own, search, prior))
    columns = [_texts(column) for column in zip(*parts, strict=True)]
    several = [len(set(column)) > 1 for column in columns]
    shown = several if any(several) else [True, False, False]
    made: list[Candidate] = []
    for (own, search, prior), texts in zip(parts, zip(*columns, strict=True), strict=True):
        label = ", ".join(text for text, show in zip(texts, shown, strict=True) if show)
        if any(label == other.label for other in made):
            raise SpecError(f"{label} is given twice: give each score, search and prior once")
        trial = scorer.with_score(own, prior)
        refusal = search.refusal(trial, constraints) if hasattr(search, "refusal") else None
        if refusal is not None:
            raise SpecError(f"{label}: {refusal}")
        fitted_by = given or check_held_out_parameters(parameters_of_score(described(own)))
        made.append(Candidate(own, search, prior, fitted_by, label))
    return tuple(made)


def _listed(given: Any, default: Any) -> list[Any]:
    """Return one or several as a list; the default if there is none."""
    if given is None:
        return [default]
    several = list(given) if isinstance(given, list | tuple) else [given]
    if not several:
        raise SpecError("an empty list has nothing to compare: give at least one")
    return several


def _texts(specs: Sequence[object]) -> list[str]:
    """Return the texts of specs; different ones whose texts do not say in what are numbered."""
    texts = [spec_text(spec) for spec in specs]
    unsaid: dict[str, dict[int, int]] = {}  # by text, the number of each object
    for spec, text in zip(specs, texts, strict=True):
        if "=..." in text or not isinstance(spec, Spec):
            own = unsaid.setdefault(text, {})
            own.setdefault(id(spec), len(own) + 1)
    return [
        f"{text} #{unsaid[text][id(spec)]}" if len(unsaid.get(text, ())) > 1 else text
        for spec, text in zip(specs, texts, strict=True)
    ]


def spec_text(spec: object) -> str:
    """Write a spec as the command line does, without the settings that are left as they are.

    Examples
    --------
    >>> import dagwright as dw
    >>> spec_text(dw.BDeu(ess=5)), spec_text(dw.Tabu(tenure=7)), spec_text(dw.BIC())
    ('bdeu:ess=5', 'tabu:tenure=7', 'bic')
    """
    if not isinstance(spec, Spec) or not is_dataclass(spec):
        return type(spec).__name__
    changed = []
    always = isinstance(spec, NativeScore)  # these have few settings, and are known by them
    for field in fields(spec):
        value = getattr(spec, field.name)
        if not (always or field.default is MISSING or value != field.default):
            continue
        if isinstance(value, str | int | float):
            changed.append(f"{field.name}={value}")
        elif value is not None:
            changed.append(f"{field.name}=...")
    return spec.name + (":" if changed else "") + ",".join(changed)
