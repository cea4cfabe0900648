# Airflow's DAGs. DAG: name; PARAMS: key=value, separated by spaces.
DAG ?= etl_pipeline
PARAMS ?=

.PHONY: dags
dags: $(INSTALLED) ## Stack*: List the DAGs of the running stack
	@$(ON_STACK) dag list

.PHONY: dag
dag: $(INSTALLED) ## Stack*: Run a DAG and watch it (DAG=etl_pipeline PARAMS="full_refresh=false")
	@$(ON_STACK) dag run "$(DAG)" --wait $(foreach param,$(PARAMS),--param "$(param)")
