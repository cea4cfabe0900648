import { connect } from "node:net";
import { docker } from "../manage/docker.ts";
import { clusterId, LABELS } from "../names.ts";
import { publishedPorts } from "../plan/stack.ts";
import type { PublishedPort } from "../spec.ts";
import { type Finding, fail, ok, type Patient, warn } from "./check.ts";

const MOST_SKEW_SECONDS = 2;
const CONNECT_MS = 2_000;

interface Inspected {
  readonly Name: string;
  readonly RestartCount: number;
  readonly State: {
    readonly Running: boolean;
    readonly OOMKilled: boolean;
    readonly Health?: { readonly Status: string };
  };
}

/** The stack's containers: lives, restarts, clocks, addresses. Nothing where none run. */
export async function runningFindings(patient: Patient): Promise<Finding[]> {
  const filter = ["--filter", `label=${LABELS.project}=${patient.stack}`];
  const ids = await docker("ps", "--all", "--quiet", ...filter, "--filter", `label=${LABELS.role}`);
  if (ids === "") return [ok("containers", "none run")];
  const inspected = JSON.parse(await docker("inspect", ...ids.split("\n"))) as Inspected[];
  const lives = inspected.flatMap(life);
  const running = inspected.filter(({ State }) => State.Running);
  return [
    ...(lives.length > 0 ? lives : [ok("containers", `${inspected.length} run and are healthy`)]),
    ...(await clocks(running)),
    ...(await storage(patient, running)),
    ...(await reachable(publishedPorts(patient.plan))),
  ];
}

function life({ Name, RestartCount, State }: Inspected): Finding[] {
  const name = Name.slice(1);
  const findings: Finding[] = [];
  if (!State.Running) findings.push(fail("containers", `${name} is stopped`, "make up"));
  else if (State.Health && State.Health.Status !== "healthy") {
    findings.push(
      fail("containers", `${name} is ${State.Health.Status}`, "make logs, then make up"),
    );
  }
  if (State.OOMKilled) {
    findings.push(fail("containers", `${name} was killed: out of memory`, "raise its memoryMiB"));
  }
  if (RestartCount > 0) {
    findings.push(warn("containers", `${name} restarted ${RestartCount} times`, "make logs"));
  }
  return findings;
}

/** Retention, lag and freshness compare wall times of different containers. */
async function clocks(running: readonly Inspected[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { Name } of running) {
    const seconds = Number(await docker("exec", Name.slice(1), "date", "+%s"));
    const skew = Math.abs(seconds - Date.now() / 1000);
    if (skew > MOST_SKEW_SECONDS) {
      findings.push(
        fail(
          "clock",
          `${Name.slice(1)} is off by ${Math.round(skew)} s`,
          "restart Docker; synchronise this machine's clock",
        ),
      );
    }
  }
  return findings.length > 0 || running.length === 0 ? findings : [ok("clock", "all agree")];
}

const META = "/var/lib/kafka/data/meta.properties";

/** A broker refuses storage that was formatted for another cluster. */
async function storage({ plan }: Patient, running: readonly Inspected[]): Promise<Finding[]> {
  const service = plan.broker.service;
  const volume = service?.dataVolumes[0];
  if (!volume || !running.some(({ Name }) => Name === `/${service.container.name}`)) return [];
  const text = await docker("exec", service.container.name, "cat", META);
  const found = /^cluster\.id=(.*)$/m.exec(text)?.[1];
  return [
    found === clusterId(volume)
      ? ok("cluster id", "belongs to its volume")
      : fail(
          "cluster id",
          `${volume} holds the data of another cluster (${found})`,
          "make clean, then make up: Kafka's data is lost",
        ),
  ];
}

async function reachable(ports: readonly PublishedPort[]): Promise<Finding[]> {
  const closed: PublishedPort[] = [];
  for (const port of ports) {
    if (port.protocol === "tcp" && !(await opens(port))) closed.push(port);
  }
  return closed.length === 0
    ? [ok("addresses", "all answer")]
    : closed.map(({ setting, host }) =>
        fail("addresses", `nothing answers at port ${host} (${setting})`, "make ps, then make up"),
      );
}

const opens = ({ bind, host }: PublishedPort): Promise<boolean> =>
  new Promise((resolve) => {
    const address = bind === "0.0.0.0" ? "127.0.0.1" : bind;
    const socket = connect({ port: host, host: address, timeout: CONNECT_MS });
    const end = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
  });
