"""Modules of the event pipeline's DAGs, whose tasks run commands of the pipeline."""
