import { expect } from "vitest";
import { type StackPlan, servicesOf } from "../../../components/services.ts";
import { variables } from "../../../components/shared/shell.ts";
import { IN_CLEAR, type RecordedResource } from "./record.ts";

const CONTAINER = "docker:index/container:Container";
const isService = ({ type, inputs }: RecordedResource): boolean =>
  type === CONTAINER && inputs.start !== false;

/** Checks the rules for every resource of a configuration, and names the offender. */
export function expectRules(resources: readonly RecordedResource[]): void {
  for (const resource of resources) {
    expectName(resource);
    if (resource.type.startsWith("docker:")) {
      expect(resource.options.provider, resource.name).toBe("docker");
    }
    if (resource.type === "docker:index/volume:Volume") expectFrozen(resource);
    if (isService(resource)) expectService(resource);
    if (resource.type.startsWith("eventpipeline:")) {
      expect(resource.outputs, `${resource.name} registers no outputs`).toBeDefined();
    }
  }
  expectWaited(resources);
  expectReadOnlyConfig(resources);
  expectNoSecret(resources);
}

/** The program deploys exactly what the commands plan without Pulumi from the same configuration. */
export function expectPlanned(resources: readonly RecordedResource[], plan: StackPlan): void {
  const planned = servicesOf(plan);
  const containers = planned.map(({ container }) => ({
    name: container.name,
    envs: variables(container.environment),
    ...(container.command.length > 0 ? { command: container.command } : {}),
    ports: container.ports.map((port) => [port.bind, port.host, port.inside, port.protocol]),
    mounts: container.mounts.map(({ volume, path }) => [volume, path]),
    memory: container.memoryMiB,
  }));
  expect(resources.filter(isPlanned).map(deployedContainer).sort(byName)).toEqual(
    containers.sort(byName),
  );
  const files = planned.flatMap(({ configs }) => configs.map(({ volume }) => volume));
  const names = resources.map(({ inputs }) => inputs.name);
  expect(names).toEqual(expect.arrayContaining(files));
}

/** The job of the scheduler is not a service. */
const isPlanned = (one: RecordedResource): boolean =>
  isService(one) && Boolean(one.inputs.healthcheck);

const byName = (a: { name: unknown }, b: { name: unknown }): number =>
  String(a.name).localeCompare(String(b.name));

function deployedContainer({ inputs }: RecordedResource) {
  const { name, envs, command, memory } = inputs;
  const ports = (inputs.ports ?? []) as Record<string, unknown>[];
  return {
    name,
    envs,
    ...(command ? { command } : {}),
    ports: ports.map(({ ip, external, internal, protocol }) => [ip, external, internal, protocol]),
    mounts: ((inputs.mounts ?? []) as Mount[]).map(({ source, target }) => [source, target]),
    memory,
  };
}

/** Files of the program are mounted read-only; a service writes only to its data. */
function expectReadOnlyConfig(resources: readonly RecordedResource[]): void {
  const namesOf = (type: string) =>
    new Set(resources.filter((one) => one.type === type).map(({ name }) => name));
  const configs = namesOf("eventpipeline:config:ConfigVolume");
  const configVolumes = new Set(
    resources
      .filter(({ type, parent }) => type === "docker:index/volume:Volume" && configs.has(parent))
      .map(({ inputs }) => inputs.name),
  );
  // The loader of a volume writes it and is never started.
  const users = resources.filter(({ type, parent }) => type === CONTAINER && !configs.has(parent));
  const mounts = users.flatMap(({ name, inputs }) =>
    ((inputs.mounts ?? []) as Mount[]).map((mount) => ({ name, ...mount })),
  );
  for (const { name, source, target, readOnly } of mounts) {
    expect(readOnly, `${name} mounts ${target}`).toBe(configVolumes.has(source));
  }
  expect(new Set(mounts.map(({ source }) => source))).toEqual(
    new Set(
      resources.flatMap(({ type, inputs }) =>
        type === "docker:index/volume:Volume" ? [inputs.name] : [],
      ),
    ),
  );
}

interface Mount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/**
 * A command waits for a service that the provider does not wait for; other dependants wait for the
 * command.
 */
function expectWaited(resources: readonly RecordedResource[]): void {
  const running = resources.filter((one) => isService(one) && one.inputs.wait !== true);
  for (const { name } of running) {
    expect(name).toBe("generator-service");
    const next = resources.filter(({ options }) => dependenciesOf(options).includes(name));
    const waiting = next.filter(({ inputs }) => / --wait \d+$/.test(String(inputs.create)));
    expect(waiting.length, `nothing waits for ${name}`).toBeGreaterThan(0);
    for (const { name: dependant, options } of next.filter((one) => !waiting.includes(one))) {
      const waitsFor = waiting.filter((one) => dependenciesOf(options).includes(one.name));
      expect(waitsFor.length, `${dependant} does not wait for ${name}`).toBeGreaterThan(0);
    }
  }
}

const dependenciesOf = ({ dependsOn }: RecordedResource["options"]): readonly unknown[] =>
  Array.isArray(dependsOn) ? dependsOn : [];

/** Components are children of the stack; their children have their name as a prefix. */
function expectName({ name, parent, type }: RecordedResource): void {
  if (type.startsWith("eventpipeline:") && parent === "") return;
  if (type === "pulumi:pulumi:Stack" || type === "pulumi:providers:docker") return;
  expect(parent, `${name} has no parent`).not.toBe("");
  expect(
    name === parent || name.startsWith(`${parentStem(parent)}-`),
    `${name} under ${parent}`,
  ).toBe(true);
}

/** The children of `broker-service` are named after the service. */
const parentStem = (parent: string): string => parent.replace(/-service$/, "");

/** A changed name is ignored: Pulumi would replace a data volume, and the guard refuses that. */
function expectFrozen({ name, options }: RecordedResource): void {
  expect(options.ignoreChanges, `${name} would be replaced for a label`).toEqual([
    "labels",
    "driver",
    "driverOpts",
  ]);
}

/** Properties whose change the provider applies, or that it does not use after the start. */
const APPLIED: readonly string[] = [
  ...["capabilities", "command", "cpus", "envs", "image", "labels", "logDriver", "logOpts"],
  ...["mounts", "name", "networksAdvanced", "ports", "securityOpts", "uploads", "user"],
  ...["memory", "memorySwap", "destroyGraceSeconds"],
  ...["mustRun", "restart", "wait", "waitTimeout"],
];

function expectService({ name, inputs, options }: RecordedResource): void {
  const container = inputs as {
    ports?: { ip: string }[];
    memory: number;
    memorySwap: number;
    cpus: string;
    user: string;
  };
  for (const port of container.ports ?? []) {
    expect(port.ip, `${name} publishes beyond this machine`).toBe("127.0.0.1");
  }
  expect(container.memory, `${name} has no memory limit`).toBeGreaterThan(0);
  expect(container.memorySwap, `${name}: swap differs on every read`).toBe(container.memory);
  expect(container.cpus, `${name}: replaced on every run`).toMatch(/^\d\.\d$/);
  expect(container.user, `${name} runs as root`).not.toMatch(/^(0|root)?(:|$)/);
  expect(inputs, name).toMatchObject({
    restart: "unless-stopped",
    capabilities: { drops: ["ALL"] },
    securityOpts: ["no-new-privileges"],
    logDriver: "json-file",
    healthcheck: expect.objectContaining({ retries: expect.any(Number) }),
    destroyGraceSeconds: expect.any(Number),
  });
  expect(options, name).toMatchObject({
    deleteBeforeReplace: true,
  });
  const declared = options.replaceOnChanges;
  for (const input of Object.keys(inputs).filter((one) => !APPLIED.includes(one))) {
    expect(declared, `${name}: the provider loses a change of ${input}`).toContain(input);
  }
}

/** Secrets are masked in the record, so a visible one was not declared as a secret. */
function expectNoSecret(resources: readonly RecordedResource[]): void {
  for (const one of resources) {
    expect(JSON.stringify(one).includes(IN_CLEAR), `${one.name} shows a secret`).toBe(false);
  }
}
