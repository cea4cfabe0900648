import { describe, expect, test } from "vitest";
import { alertRules } from "../../../dashboards/alerts/rules.ts";
import { prometheusRules } from "../../../dashboards/delivery/prometheus.ts";
import { shortYaml } from "../../support/short-yaml.ts";
import { content } from "./content.ts";

/**
 * The whole dashboards, as YAML for the reader of a diff. Alert rules, contact point and data source
 * are resources in stack-dev.json. After an intended change run `vitest --update`.
 */
describe("Grafana's dashboards", () => {
  test.each(content().dashboards.map((one) => [one.uid, one] as const))("%s", async (uid, one) => {
    await expect(shortYaml(one)).toMatchFileSnapshot(`../../golden/grafana/${uid}.yaml`);
  });
});

test("the rules in Prometheus' form", async () => {
  await expect(prometheusRules(alertRules)).toMatchFileSnapshot(
    "../../golden/prometheus/rules.yml",
  );
});
