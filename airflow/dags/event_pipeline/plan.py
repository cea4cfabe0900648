"""Reader of ``sql/etl/plan.yaml``, the only definition of the steps and their order."""

from __future__ import annotations

from dataclasses import dataclass

import yaml

from event_pipeline.command import ROOT


@dataclass(frozen=True)
class Step:
    """Step of the batch process, which runs as ``pipeline step ID``."""

    id: str
    about: str
    retries: int


def read_plan() -> list[Step]:
    """Returns the steps in order."""
    document = yaml.safe_load((ROOT / "sql" / "etl" / "plan.yaml").read_text(encoding="utf-8"))
    return [Step(step["id"], step["about"], step["retries"]) for step in document["steps"]]
