import { publishedPorts } from "../../components/services.ts";
import type { PublishedPort } from "../../components/shared/spec.ts";
import { docker } from "../../terminal/docker.ts";
import { checkAnswer } from "../answers.ts";
import { serviceRows } from "../lifecycle/owned-resources.ts";
import { settingHint } from "../make-hints.ts";
import { attempt, type DoctorContext, type Finding, fail, ok, warn } from "./check.ts";

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

export async function runningFindings(context: DoctorContext): Promise<Finding[]> {
  const ids = (await serviceRows(context.stack, ["{{.ID}}"])).map(([, id = ""]) => id);
  if (ids.length === 0) return [ok("containers", "none run")];
  return [
    ...(await attempt("containers", () => containerFindings(ids, context.stack))),
    ...(await attempt("cluster id", () => storage(context))),
    ...(await reachable(context)),
  ];
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

/** Checks the cluster id, because a broker refuses storage of another cluster. */
async function storage({ plan: { broker }, stack }: DoctorContext): Promise<Finding[]> {
  const { storedClusterId, service } = broker;
  if (!storedClusterId || !service) return [];
  const text = await contentOf(service.container.name, storedClusterId.file);
  if (text === undefined) return [];
  const found = /\bcluster\.id=(.*)$/m.exec(text)?.[1];
  return [
    found === storedClusterId.clusterId
      ? ok("cluster id", "belongs to its volume")
      : fail(
          "cluster id",
          `${storedClusterId.volume} contains the data of another cluster (${found})`,
          `run make clean STACK=${stack} (deletes all data), then make up STACK=${stack}`,
        ),
  ];
}

/** Reads the file with `docker cp`, because a broker that refuses its storage exits at once. */
async function contentOf(container: string, file: string): Promise<string | undefined> {
  try {
    return await docker("cp", `${container}:${file}`, "-");
  } catch (error) {
    if (/Could not find the file|No such container/i.test(String(error))) return undefined;
    throw error;
  }
}

async function reachable({ plan, stack }: DoctorContext): Promise<Finding[]> {
  const found = await Promise.all(publishedPorts(plan).map((port) => answerFinding(port, stack)));
  const silent = found.flat();
  return silent.length > 0 ? silent : [ok("addresses", "all answer")];
}

async function answerFinding(
  { answer, bind, host, setting }: PublishedPort,
  stack: string,
): Promise<Finding[]> {
  if (answer === null) return [];
  const reason = await checkAnswer(bind === "0.0.0.0" ? "127.0.0.1" : bind, host, answer);
  if (reason === undefined) return [];
  const detail = `port ${host} (${setting}) does not answer: ${reason}`;
  return [fail("addresses", detail, `run make ps STACK=${stack}, then make up STACK=${stack}`)];
}
