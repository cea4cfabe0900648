import { expect, test } from "vitest";
import { alertRules } from "../../../dashboards/alerts/rules.ts";
import { prometheusRules } from "../../../dashboards/delivery/prometheus.ts";

/** After an intended change run `vitest --update` and read the diff. */
test("the rules in Prometheus' form", async () => {
  await expect(prometheusRules(alertRules)).toMatchFileSnapshot(
    "../../golden/prometheus/rules.yml",
  );
});
