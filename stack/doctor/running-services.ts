import { docker } from "../../terminal/docker.ts";
import { serviceRows } from "../lifecycle/owned-resources.ts";
import { settingHint } from "../make-hints.ts";
import { type DoctorContext, type Finding, fail, ok, warn } from "./check.ts";

interface InspectedContainer {
  readonly Name: string;
  readonly RestartCount: number;
  readonly State: {
    readonly Running: boolean;
    readonly Paused?: boolean;
    readonly OOMKilled: boolean;
    readonly Health?: { readonly Status: string };
  };
}

/** Checks the state and the health of the stack's containers. */
export async function runningFindings({ stack }: DoctorContext): Promise<Finding[]> {
  const ids = (await serviceRows(stack, ["{{.ID}}"])).map(([, id = ""]) => id);
  return ids.length === 0 ? [ok("containers", "none run")] : containerFindings(ids, stack);
}

async function containerFindings(ids: readonly string[], stack: string): Promise<Finding[]> {
  const inspected = JSON.parse(await docker("inspect", ...ids)) as InspectedContainer[];
  const findings = inspected.flatMap((container) => findingsOf(container, stack));
  return findings.length > 0
    ? findings
    : [ok("containers", `${inspected.length} run and are healthy`)];
}

function findingsOf({ Name, RestartCount, State }: InspectedContainer, stack: string): Finding[] {
  const name = Name.slice(1);
  const findings: Finding[] = [];
  const logs = `run make logs STACK=${stack}`;
  const up = `make up STACK=${stack}`;
  if (!State.Running) findings.push(fail("containers", `${name} is stopped`, `run ${up}`));
  else if (State.Paused) {
    findings.push(fail("containers", `${name} is paused`, `run docker unpause ${name}`));
  } else if (State.Health && State.Health.Status !== "healthy") {
    findings.push(fail("containers", `${name} is ${State.Health.Status}`, `${logs}, then ${up}`));
  }
  if (State.OOMKilled) {
    findings.push(
      fail(
        "containers",
        `${name} was killed: out of memory`,
        settingHint(stack, "its memoryMiB", "more"),
      ),
    );
  }
  if (RestartCount > 0) {
    findings.push(warn("containers", `${name} restarted ${RestartCount} times`, logs));
  }
  return findings;
}
