"""The event pipeline's DAG modules; what a task does is a command of the pipeline."""
