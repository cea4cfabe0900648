# Superset.
.PHONY: bi-init
bi-init: $(INSTALLED) ## Stack*: Create or repair Superset's connection, datasets, charts and dashboard
	@$(ON_STACK) bi-init

.PHONY: bi-rotate-key
bi-rotate-key: $(INSTALLED) ## Stack*: Rotate Superset's secret key and re-encrypt its data
	@$(STACK_CLI) rotate-superset-key $(STACK_OPTIONS)
