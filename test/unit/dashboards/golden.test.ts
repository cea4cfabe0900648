import { describe, expect, test } from "vitest";
import { alertRules } from "../../../dashboards/alerts/rules.ts";
import { datasourceFile } from "../../../dashboards/delivery/files.ts";
import { prometheusRules } from "../../../dashboards/delivery/prometheus.ts";
import { provisioningFiles } from "./content.ts";

const FOLDER = "../../golden/grafana";
const files = [datasourceFile("http://prometheus:9090"), ...provisioningFiles()];

/** After an intended change run `vitest --update` and read the diff. */
describe("Grafana's content", () => {
  test.each(files.map((file) => [file.path, file.content]))("%s", async (path, text) => {
    await expect(text).toMatchFileSnapshot(`${FOLDER}/${path}`);
  });
});

test("the rules in Prometheus' form", async () => {
  await expect(prometheusRules(alertRules)).toMatchFileSnapshot(
    "../../golden/prometheus/rules.yml",
  );
});
