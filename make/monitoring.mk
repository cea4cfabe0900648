# Monitoring: Prometheus, the exporters, Grafana.
ALERT ?=

.PHONY: reload-monitoring
reload-monitoring: $(INSTALLED) ## Monitoring*: Reload the files of Prometheus and Grafana, and restart the StatsD exporter
	@$(ON_STACK) monitoring reload
	@$(ON_STACK) monitoring check --wait 120

.PHONY: recover-monitoring
recover-monitoring: $(INSTALLED) ## Monitoring*: Re-create an empty metrics store, restart Airflow, reload and check
	@$(STACK_CLI) recover-monitoring $(STACK_OPTIONS)

.PHONY: reset-dashboards
reset-dashboards: $(INSTALLED) ## Monitoring*: Re-create Grafana with an empty volume, and deliver the dashboards again
	@$(STACK_CLI) reset-dashboards $(STACK_OPTIONS)

.PHONY: ask-monitoring
ask-monitoring: $(INSTALLED) ## Monitoring*: Run every query of dashboards and rules; fails on unexplained missing data
	@$(ON_STACK) monitoring ask

.PHONY: drill
drill: $(INSTALLED) ## Monitoring*: Cause a failure, wait for the alert, repair it, wait until the alert resolves (ALERT=BrokerDown)
	@$(ON_STACK) monitoring drill "$(ALERT)"

.PHONY: drill-all
drill-all: $(INSTALLED) ## Monitoring*: Run all drills, one after another (about an hour)
	@$(ON_STACK) monitoring drill
