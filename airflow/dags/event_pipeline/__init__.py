"""Topology of the event pipeline in Airflow: what a task does is a command of the pipeline."""
