import { delimiter, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { isSecretName, SECRETS, type SecretName } from "../../../components/secrets.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** One resource as the program registered it, with the provider's and the engine's inputs. */
export interface RecordedResource {
  readonly type: string;
  readonly name: string;
  readonly parent: string;
  readonly inputs: Record<string, unknown>;
  readonly options: Readonly<Record<string, unknown>>;
  /** What a component registers; undefined for other resources. */
  outputs?: unknown;
}

/** Suffix of every secret in the tests, by which a leak is found. */
export const IN_CLEAR = "-in-clear";

/** Returns `clickhouse-password` for `clickhousePassword`. */
const kebabCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const testSecrets = {
  ...(Object.fromEntries(
    Object.keys(SECRETS).map((name) => [name, `${kebabCase(name)}${IN_CLEAR}`]),
  ) as Record<SecretName, string>),
  alertWebhook: `https://hooks.example/webhook${IN_CLEAR}`,
};

/**
 * Runs the whole program as a preview under mocks, so that it waits for no container. One program
 * per test file, because the SDK keeps global state.
 * @param replaced generated secrets that a preview does not know yet
 */
export async function recordProgram(
  stack: string,
  config: Readonly<Record<string, unknown>>,
  replaced: readonly string[] = [],
  engine = "unix:///var/run/docker.sock",
): Promise<RecordedResource[]> {
  process.env.DOCKER_HOST = engine;
  const secretKeys = Object.keys(config).filter(isSecretName);
  pulumi.runtime.setAllConfig(
    configTexts(config),
    secretKeys.map((name) => `event-pipeline:${name}`),
  );
  return recordResources(stack, () => import("../../../index.ts"), replaced);
}

/** Records the resources of a program, like `recordProgram`. */
export async function recordResources(
  stack: string,
  program: () => Promise<unknown>,
  replaced: readonly string[] = [],
): Promise<RecordedResource[]> {
  process.env.EVENT_PIPELINE_STATE = join(ROOT, "test/golden/no-state");
  process.env.DOCKER_HOST ??= "unix:///var/run/docker.sock";
  process.env.PATH = [join(import.meta.dirname, "engine"), process.env.PATH].join(delimiter);
  await mockEngine(stack, replaced);
  listen();
  try {
    await pulumi.runtime.runInPulumiStack(program);
  } finally {
    await pulumi.runtime.disconnect();
  }
  return recorded.toSorted((a, b) => compare(`${a.type} ${a.name}`, `${b.type} ${b.name}`));
}

/** Resources in the order of their registration, also those of a program that failed. */
export const recorded: RecordedResource[] = [];

/** Content of the containers' files, also of secret ones. */
const files = new Map<string, string>();

/** Returns a file of a recorded container. @param path its last part is enough */
export function fileOf(container: string, path: string): string {
  const [found] = [...files].filter(
    ([key]) => key.startsWith(`${container} `) && key.endsWith(path),
  );
  if (!found) throw new Error(`${container} has no file ${path}`);
  return found[1];
}

/** Returns the text of all files of a recorded container. */
export const filesOf = (container: string): string =>
  [...files].flatMap(([key, text]) => (key.startsWith(`${container} `) ? [text] : [])).join("\n");

/** Returns a resource. @param type last part of its type, e.g. `Container` */
export function resourceOf(
  resources: readonly RecordedResource[],
  name: string,
  type = "Container",
): RecordedResource {
  const found = resources.find((one) => one.name === name && one.type.endsWith(`:${type}`));
  if (!found) throw new Error(`no ${type} named ${name}`);
  return found;
}

export const ofType = (resources: readonly RecordedResource[], type: string): RecordedResource[] =>
  resources.filter((one) => one.type.endsWith(`:${type}`));

export const namesOf = (resources: readonly RecordedResource[]): string[] =>
  resources.map(({ name }) => name);

/** Engine function by which the program reads Pulumi's state. */
const READ_STATE = "pulumi:pulumi:readStackResourceOutputs";

/** Answer of the generator's check of its settings. */
export const settingsCheck: { changes: string[]; refusal?: string } = { changes: [] };

const mockEngine = (stack: string, replaced: readonly string[] = []): Promise<void> =>
  pulumi.runtime.setMocks(
    {
      newResource: (args) => ({
        id: `${args.name}-id`,
        state: { ...args.inputs, ...(replaced.includes(args.name) ? {} : computed(args)) },
      }),
      call: ({ token }) => {
        if (token === READ_STATE) return { outputs: {} };
        if (token === "command:local:run") return { stdout: JSON.stringify(settingsCheck) };
        throw new Error(`unexpected provider function ${token}`);
      },
    },
    "event-pipeline",
    stack,
    true,
    "organization",
  );

/** Configuration in the engine's form: structures as JSON, texts unchanged. */
const configTexts = (config: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(config).map(([key, value]) => [
      `event-pipeline:${key}`,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Outputs that a provider would add to the inputs. */
const computed = ({ type, name }: pulumi.runtime.MockResourceArgs): Record<string, unknown> => {
  if (type === "docker:index/remoteImage:RemoteImage") return { imageId: `sha256:${name}` };
  if (type === "random:index/randomPassword:RandomPassword") return { result: name + IN_CLEAR };
  if (type === "random:index/randomId:RandomId") return { hex: `<${name}>` };
  return type === "docker:index/image:Image" ? { repoDigest: `sha256:${name}` } : {};
};

interface Struct {
  toJavaScript(): Record<string, unknown>;
}

/** The relevant part of a registration; mocks receive inputs only, never options. */
interface Registration {
  getObject(): Struct | undefined;
  toObject(): {
    type: string;
    name: string;
    parent: string;
    ignorechangesList: string[];
    replaceonchangesList: string[];
    deletebeforereplace: boolean;
    dependenciesList: string[];
    protect: boolean;
    provider: string;
    deletedwith: string;
  };
}

function listen(): void {
  const monitor = pulumi.runtime.getMonitor() as unknown as {
    registerResource(request: Registration, callback: unknown): Promise<void>;
    registerResourceOutputs(
      request: { getUrn(): string; getOutputs(): Struct },
      callback: unknown,
    ): void;
  };
  const { registerResource, registerResourceOutputs } = monitor;
  monitor.registerResource = (request, callback) => {
    recorded.push(record(request));
    return registerResource.call(monitor, request, callback);
  };
  monitor.registerResourceOutputs = (request, callback) => {
    const urn = request.getUrn();
    const component = recorded.find(
      ({ type, name }) => name === shortName(urn) && urn.split("::").at(-2)?.endsWith(type),
    );
    if (component) component.outputs = normalise(request.getOutputs().toJavaScript());
    registerResourceOutputs.call(monitor, request, callback);
  };
}

function record(request: Registration): RecordedResource {
  const { type, name, parent, ...more } = request.toObject();
  const inputs = request.getObject()?.toJavaScript() ?? {};
  for (const { file, content } of (inputs.uploads ?? []) as { file: string; content: unknown }[]) {
    files.set(`${name} ${file}`, String(plain(content)));
  }
  const options = {
    ignoreChanges: more.ignorechangesList,
    replaceOnChanges: more.replaceonchangesList,
    deleteBeforeReplace: more.deletebeforereplace,
    dependsOn: more.dependenciesList.map(shortName).sort(),
    protect: more.protect,
    provider: more.provider.split("::").at(-2) ?? "",
    deletedWith: shortName(more.deletedwith),
  };
  const used = Object.entries(options).filter(([, one]) => (Array.isArray(one) ? one.length : one));
  const shown = { type, name, parent: shortName(parent), inputs: withoutDigests(inputs) };
  return { ...shown, options: Object.fromEntries(used) };
}

const withoutDigest = (trigger: unknown): string =>
  typeof trigger === "object" ? "<digests>" : String(trigger).replace(DIGEST, "<digest>");

/** Triggers of commands are file digests, and a changed file is not a changed stack. */
function withoutDigests(given: Record<string, unknown>): Record<string, unknown> {
  const inputs = normalise(given) as Record<string, unknown>;
  const { triggers } = inputs;
  return Array.isArray(triggers) ? { ...inputs, triggers: triggers.map(withoutDigest) } : inputs;
}

const DIGEST = /^[0-9a-f]{16}$/;

/** `urn:pulumi:dev::event-pipeline::docker:…::kafka-data` → `kafka-data`. */
const shortName = (urn: string): string => urn.split("::").at(-1) ?? "";

/** Key that marks a wrapped value on the wire, and the kind of wrapping that means secret. */
const SIGNATURE = "4dabf18193072939515e22adb298388d";

/** Longest text of a file; others are tested where they are made. */
const LONGEST = 2000;
const LONG_TEXT = "<long text>";

/** Masks values that differ between machines, and secrets. */
function normalise(value: unknown): unknown {
  if (typeof value === "string") {
    if (value === UNKNOWN) return UNKNOWN_SECRET;
    if (value.length > LONGEST) return LONG_TEXT;
    return value.replaceAll(ROOT, "<root>").replace(/^linux\/(amd64|arm64)$/, "linux/<machine>");
  }
  if (Array.isArray(value)) return value.map(normalise);
  if (typeof value !== "object" || value === null) return value;
  if (SIGNATURE in value) return mask((value as { value?: unknown }).value);
  return mapValues(value, normalise);
}

/** Unwraps a secret. */
const plain = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "value" in value ? value.value : value;

/** Mask of a secret that a preview does not know yet. */
export const UNKNOWN_SECRET = "<unknown secret>";

/** A value that a preview does not know, as the program sends it. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const maskOf = (value: unknown): string => (value === UNKNOWN ? UNKNOWN_SECRET : "<secret>");

/** Names inside a secret structure are not secret. */
const mask = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? mapValues(value, maskOf)
    : maskOf(value);

const mapValues = (value: object, change: (item: unknown) => unknown) =>
  Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => compare(a, b))
      .map(([key, item]) => [key, change(isJsonOfGrafana(key) ? JSON.parse(item) : item)]),
  );

const isJsonOfGrafana = (key: string): boolean => key === "configJson" || key === "model";
