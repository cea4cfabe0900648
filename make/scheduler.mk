# Airflow's DAGs. DAG names it, PARAMS are key=value, separated by spaces.
DAG ?= etl_pipeline
PARAMS ?=

.PHONY: dags
dags: $(INSTALLED) ## List the DAGs of the running stack
	@$(ON_STACK) dag list

.PHONY: dag
dag: $(INSTALLED) ## Run a DAG and watch it (DAG=etl_pipeline PARAMS="full_refresh=false")
	@$(ON_STACK) dag run "$(DAG)" --wait $(foreach param,$(PARAMS),--param "$(param)")
