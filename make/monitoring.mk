# What watches the stack: Prometheus, the exporters, Grafana.
ALERT ?=
# RECORD=1: drills note in docs/drills.json what they showed; then node scripts/runbook-tables.ts
RECORD ?=
DRILL_OPTIONS = $(if $(RECORD),--record,)

.PHONY: reload-monitoring
reload-monitoring: $(INSTALLED) ## Let Prometheus and Grafana read their files again, restart the StatsD exporter
	@$(STACK_CLI) reload-monitoring $(STACK_OPTIONS)

.PHONY: recover-monitoring
recover-monitoring: $(INSTALLED) ## Make the metrics store anew with empty series, restart scheduler, reload, check
	@$(STACK_CLI) recover-monitoring $(STACK_OPTIONS)

.PHONY: reset-dashboards
reset-dashboards: $(INSTALLED) ## Make Grafana and its library anew and deliver everything again
	@$(STACK_CLI) reset-dashboards $(STACK_OPTIONS)

.PHONY: ask-monitoring
ask-monitoring: $(INSTALLED) ## Ask every expression of dashboards and rules; fails on one without data or reason
	@$(ON_STACK) monitoring ask

.PHONY: drill
drill: $(INSTALLED) ## Break one thing, see its alert fire, heal, see it resolve (ALERT=BrokerDown)
	@$(STACK_CLI) drill $(STACK_OPTIONS) $(DRILL_OPTIONS) "$(ALERT)"

.PHONY: drill-all
drill-all: $(INSTALLED) ## The drills of all alerts, those that stop a service one after another (about an hour)
	@$(STACK_CLI) drill $(STACK_OPTIONS) $(DRILL_OPTIONS)
