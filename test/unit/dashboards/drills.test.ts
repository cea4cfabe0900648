import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { rulesFor } from "../../../dashboards/alerts/rules.ts";
import {
  breakageOf,
  Feeder,
  obstacleTo,
  type Stoppable,
} from "../../../dashboards/drills/breakages.ts";
import { lockDrills } from "../../../dashboards/drills/record.ts";
import { JOB_NAMES } from "../../../dashboards/promql.ts";

const INTERRUPTION = join(import.meta.dirname, "../../../dashboards/drills/interruption.ts");
const RECORD = join(import.meta.dirname, "../../../dashboards/drills/record.ts");
const rules = rulesFor(new Set(JOB_NAMES));
const folder = mkdtempSync(join(tmpdir(), "drills-"));
const folderOf = (stack: string): string => join(folder, stack);
afterAll(() => rmSync(folder, { recursive: true }));

/** A process that holds the drill record of the stack until it is killed. */
async function holder(stack: string, container: string) {
  const program = `import { lockDrills } from ${JSON.stringify(RECORD)};
lockDrills(${JSON.stringify(stack)}, ${JSON.stringify(folderOf(stack))}, [${JSON.stringify(container)}]);
process.stdout.write("taken"); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

describe("drills of one stack", () => {
  test("run in one process at a time", async () => {
    const other = await holder("busy", "kafka");
    expect(() => lockDrills("busy", folderOf("busy"), [])).toThrow(
      `already running (process ${other.pid})`,
    );
    const gone = once(other, "exit");
    other.kill("SIGKILL");
    await gone;
  });

  test("restart services that a killed run had stopped", async () => {
    const other = await holder("killed", "kafka");
    const gone = once(other, "exit");
    other.kill("SIGKILL");
    await gone;
    expect(lockDrills("killed", folderOf("killed"), ["generator"]).rest).toEqual(["kafka"]);
    // This run is killed as well, and the broker must stay recorded.
    const again = lockDrills("killed", folderOf("killed"), []);
    expect(again.rest?.toSorted()).toEqual(["generator", "kafka"]);
    again.close();
    expect(lockDrills("killed", folderOf("killed"), []).rest).toBeNull();
  });
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "services are restored at %s, before the work ends",
  (name) => {
    const program = `import { setTimeout as sleep } from "node:timers/promises";
import { runInterruptible } from ${JSON.stringify(INTERRUPTION)};
await runInterruptible(async (signal) => {
  setTimeout(() => process.kill(process.pid, "${name}"), 50);
  await sleep(20_000, undefined, { signal }).catch(() => undefined);
  console.log("restored");
}, console.log);`;
    const { status, stdout } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", program],
      { encoding: "utf8" },
    );
    expect(stdout).toMatch(/^Interrupted: .*\nrestored\n$/);
    expect(status).toBe(0);
  },
);

describe("the objects that a drill creates", () => {
  const fed = join(folder, "fed.json");
  const feeder = new Feeder([
    process.execPath,
    "--eval",
    `require("fs").writeFileSync(${JSON.stringify(fed)}, require("fs").readFileSync(0))`,
  ]);
  const read = (): unknown[] => JSON.parse(readFileSync(fed, "utf8"));
  const service: Stoppable = { stop: async () => undefined, start: async () => undefined };
  const none = { broker: null, generator: null };
  beforeEach(() => feeder.clear());

  test("are removed completely by any process", async () => {
    await feeder.feed("A", [{ metric: "up", labels: {}, value: 0 }]);
    expect(read()).toHaveLength(1);
    await feeder.clear();
    expect(read()).toEqual([]);
  });

  test("are removed also after a failed write", async () => {
    const once = join(folder, "once");
    const failing = new Feeder([
      "sh",
      "-c",
      `cat > ${fed}; test -e ${once} || { touch ${once}; exit 1; }`,
    ]);
    const sample = { metric: "up", labels: {}, value: 0 };
    await expect(failing.feed("A", [sample])).rejects.toThrow("rejects the samples");
    await failing.feed("A", []);
    expect(read()).toEqual([]);
  });

  test("a service of the stack is found; an external one is reported", () => {
    const instance = { services: none, databaseUrl: "", feeder };
    const stopping = rules.filter(({ drill }) => drill.kind === "stop");
    expect(stopping.map(({ name }) => name)).toContain("BrokerDown");
    for (const rule of stopping) {
      expect(() => breakageOf(rule, instance)).toThrow(/which is external to this stack/);
      expect(obstacleTo(rule, { broker: service, generator: service })).toBeUndefined();
    }
  });

  test("exists on every stack for the rules that every stack has", () => {
    const least = rulesFor(new Set(["pipeline", "prometheus"] as const));
    const tutorial = readFileSync(
      join(import.meta.dirname, "../../../docs/tutorial/first-hour.md"),
      "utf8",
    );
    const [, offline] = /ALERT=(\w+) STACK=offline/.exec(tutorial) ?? [];
    expect(least.map(({ name }) => name)).toContain(offline);
    expect(least.flatMap((rule) => obstacleTo(rule, none) ?? [])).toEqual([]);
  });
});
