import { expect } from "vitest";
import { rules } from "../../../policy/rules.ts";
import { IN_CLEAR, namesOf, ofType, type RecordedResource } from "./record.ts";

/** A job is started by a command, and a service by the provider. */
const isService = ({ inputs }: RecordedResource): boolean => inputs.start !== false;

/** Checks the rules for every resource of a configuration, and names the offender. */
export function expectRules(resources: readonly RecordedResource[]): void {
  const identities = resources.map(({ type, name }) => `${type} ${name}`);
  expect(new Set(identities).size, "two resources have the same name").toBe(identities.length);
  for (const resource of resources) {
    const { type, name, options } = resource;
    if (type.startsWith("docker:")) expect(options.provider, name).toBe("docker");
    expect(JSON.stringify(resource).includes(IN_CLEAR), `${name} shows a secret`).toBe(false);
    expect(broken(resource)).toEqual([]);
  }
  for (const container of ofType(resources, "Container")) {
    expectLimited(container);
    if (isService(container)) expectService(container);
  }
  expectVolumes(resources);
  expectLabels(resources);
  expectCommands(resources);
}

/** Returns the rules of the policy pack that a resource breaks. */
export const broken = ({ type, name, inputs }: RecordedResource): string[] =>
  rules
    .filter((rule) => rule.type === type && rule.name !== "image")
    .flatMap(({ check }) => check(inputs as never) ?? [])
    .map((problem) => `${name}: ${problem}`);

/** Properties whose change the provider applies, or that it does not use after the start. */
const APPLIED: readonly string[] = [
  ...["capabilities", "command", "cpus", "envs", "image", "labels", "logDriver", "logOpts"],
  ...["mounts", "name", "networksAdvanced", "ports", "securityOpts", "uploads", "user"],
  ...["memory", "memorySwap", "destroyGraceSeconds", "readOnly"],
  ...["mustRun", "restart", "start"],
];

function expectLimited({ name, inputs, options }: RecordedResource): void {
  const { memory, memorySwap, cpus, uploads } = inputs as {
    memory: number;
    memorySwap: number;
    cpus: string;
    uploads: { file: string }[];
  };
  expect(memorySwap, `${name}: swap differs on every read`).toBe(memory);
  expect(cpus, `${name}: replaced on every run`).toMatch(/^\d\.\d$/);
  for (const { file } of uploads) expect(file, name).toMatch(/^\//);
  expect(options.deleteBeforeReplace, name).toBe(true);
  for (const input of Object.keys(inputs).filter((one) => !APPLIED.includes(one))) {
    expect(options.replaceOnChanges, `${name}: the provider loses a change`).toContain(input);
  }
}

const SECONDS = /^[1-5]?\ds$/;

function expectService({ name, inputs }: RecordedResource): void {
  expect(inputs, name).toMatchObject({
    restart: "unless-stopped",
    mustRun: true,
    healthcheck: {
      // The engine returns other forms, such as 90s, as 1m30s, and every run would show a change.
      ...{ interval: expect.stringMatching(SECONDS), timeout: expect.stringMatching(SECONDS) },
      ...{ retries: expect.any(Number), startPeriod: "0s" },
    },
    destroyGraceSeconds: expect.any(Number),
    networksAdvanced: [{ aliases: [name] }],
  });
}

/** Services that may be off, by the volume with their data. */
const KEPT: Readonly<Record<string, string>> = {
  "collector-data": "collector",
  "generator-data": "generator",
  "postgres-data": "postgres",
};

/** Every volume survives a changed label, and is mounted, unless its service is off and it is kept; snapshots outlive the stack. */
function expectVolumes(resources: readonly RecordedResource[]): void {
  const volumes = ofType(resources, "Volume");
  for (const { name, options } of volumes) {
    expect(options.ignoreChanges, name).toEqual(["labels", "driver", "driverOpts"]);
  }
  const mounted = ofType(resources, "Container").flatMap(({ inputs }) =>
    (inputs.mounts as { source: string }[]).map(({ source }) => source),
  );
  const used = volumes.filter(({ name, inputs }) => {
    const isOff = KEPT[name] && !namesOf(resources).includes(KEPT[name]);
    expect(mounted.includes(inputs.name as string), name).toBe(!isOff);
    return !isOff;
  });
  const own = new Set(mounted.filter((source) => !source.endsWith("-snapshots")));
  expect([...own].sort()).toEqual(used.map(({ inputs }) => inputs.name).sort());
}

/** Everything has the labels of stack and owner; services have one of their own, which jobs lack. */
function expectLabels(resources: readonly RecordedResource[]): void {
  for (const type of ["Container", "Volume", "Network"]) {
    for (const one of ofType(resources, type).filter((each) => each.type.startsWith("docker:"))) {
      const labels = one.inputs.labels as { label: string; value: string }[];
      expect(labels.slice(0, 2), one.name).toEqual([
        { label: "event-pipeline.stack", value: expect.any(String) },
        { label: "event-pipeline.identity", value: "<identity>" },
      ]);
      const service = labels.find(({ label }) => label === "event-pipeline.service")?.value;
      expect(service, one.name).toBe(type === "Container" && isService(one) ? one.name : undefined);
    }
  }
}

/** A command on a container waits for it, and none but the removal of images runs when it is deleted. */
function expectCommands(resources: readonly RecordedResource[]): void {
  const commands = ofType(resources, "Command").filter(({ name }) => name !== "built-images");
  for (const { name, inputs, options } of commands) {
    expect(inputs.delete, name).toBeUndefined();
    expect(inputs.dir, `${name} has a path of this machine`).toBeUndefined();
    expect(options.deleteBeforeReplace, name).toBe(true);
    const [, container] =
      / docker (?:exec(?: --env \S+)?|start --attach) event-pipeline-[a-z]+-(\S+)/.exec(
        String(inputs.create),
      ) ?? [];
    if (container === undefined) continue;
    expect(options.dependsOn, name).toContain(container);
    expect(inputs.triggers, name).toContain(`${container}-id`);
    expect(namesOf(ofType(resources, "Container"))).toContain(container);
  }
}
