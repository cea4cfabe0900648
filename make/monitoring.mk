# Monitoring: Prometheus, the exporters, Grafana.
ALERT ?=
# RECORD=1: drills write their results to docs/drills.json; then run node scripts/write-docs.ts
RECORD ?=
DRILL_OPTIONS = $(if $(RECORD),--record,)

.PHONY: reload-monitoring
reload-monitoring: $(INSTALLED) ## Reload the files of Prometheus and Grafana, restart the StatsD exporter
	@$(STACK_CLI) reload-monitoring $(STACK_OPTIONS)

.PHONY: recover-monitoring
recover-monitoring: $(INSTALLED) ## Re-create the metrics store without series, restart scheduler, reload, check
	@$(STACK_CLI) recover-monitoring $(STACK_OPTIONS)

.PHONY: reset-dashboards
reset-dashboards: $(INSTALLED) ## Re-create Grafana with an empty volume and deliver its content again
	@$(STACK_CLI) reset-dashboards $(STACK_OPTIONS)

.PHONY: ask-monitoring
ask-monitoring: $(INSTALLED) ## Run every query of dashboards and rules; fails on unexplained missing data
	@$(ON_STACK) monitoring ask

.PHONY: drill
drill: $(INSTALLED) ## Break one thing, see its alert fire, undo it, see it resolve (ALERT=BrokerDown)
	@$(STACK_CLI) drill $(STACK_OPTIONS) $(DRILL_OPTIONS) "$(ALERT)"

.PHONY: drill-all
drill-all: $(INSTALLED) ## Run the drills of all alerts (about an hour)
	@$(STACK_CLI) drill $(STACK_OPTIONS) $(DRILL_OPTIONS)
