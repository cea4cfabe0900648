import { afterAll, beforeAll, expect, it } from "vitest";
import { TestAirflow } from "./airflow.ts";
import { controlCases } from "./control.cases.ts";
import { TestSystem } from "./environment.ts";
import { etlCases } from "./etl.cases.ts";
import { failureCases } from "./failure.cases.ts";
import { describeAirflow } from "./harness.ts";
import { liveCases } from "./live.cases.ts";
import { metricsCases } from "./metrics.cases.ts";
import { restoreCases } from "./restore.cases.ts";
import { schemaCases } from "./schema.cases.ts";
import { upkeepCases } from "./upkeep.cases.ts";

// Starting the scheduler, broker and database takes longer than most cases, so all share them.
describeAirflow("the DAGs on a real Airflow", () => {
  let system: TestSystem;
  beforeAll(async () => {
    system = await TestSystem.open();
  });
  afterAll(() => system?.close());

  schemaCases(() => system);
  etlCases(() => system);
  liveCases(() => system);
  failureCases(() => system);
  controlCases(() => system);
  restoreCases(() => system);
  metricsCases(() => system);
  upkeepCases(() => system);

  it("the administrator's password is in no process's arguments", () => {
    expect(TestAirflow.argumentsWithPassword()).toEqual([]);
  });

  it("no deprecated API was used by this project's code in all these runs", () => {
    expect(system.airflow.deprecations).toEqual([]);
  });
});
