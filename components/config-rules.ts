import { BAD_PORTS } from "../contract/bad-ports.ts";
import {
  deployedParts,
  type PublishedPort,
  publishedPorts,
  type StackConfig,
  settingsOf,
  stackSchema,
} from "./config.ts";
import { blockError, type Problem, problemsOf, refuse } from "./config-error.ts";
import { SECRETS, type SecretName, setSecretCommand } from "./secrets.ts";
import { isLoopback, MAX_OFFSET, settingCommand } from "./shared/names.ts";

/**
 * Validates settings, each and then together, and adds the defaults.
 * @param secrets names of those that are set; undefined if they follow later
 * @throws UserError that lists every problem
 */
export function parseStackConfig(settings: object, secrets?: ReadonlySet<SecretName>): StackConfig {
  const { data, error } = stackSchema.safeParse(settings, { error: blockError });
  if (error) return refuse(problemsOf(error));
  const config = deployedParts(data);
  const problems = [
    ...unreachable(config),
    ...portProblems(config),
    ...retentionProblems(config),
    ...(secrets ? missingSecrets(config, secrets) : []),
  ];
  return problems.length > 0 ? refuse(problems) : config;
}

/** Returns the secrets that only the user knows and that are not set. */
function missingSecrets(
  { kafka, clickhouse }: StackConfig,
  configured: ReadonlySet<SecretName>,
): Problem[] {
  const hasLogin = kafka.mode === "external" && kafka.security.mechanism;
  const needed = {
    kafkaPassword: hasLogin ? "kafka.security.mechanism" : undefined,
    clickhousePassword: clickhouse.mode === "external" ? "clickhouse.mode=external" : undefined,
  };
  return (["kafkaPassword", "clickhousePassword"] as const).flatMap((name) =>
    needed[name] && !configured.has(name)
      ? [
          {
            message: `${needed[name]} needs the secret ${name} (${SECRETS[name]}), which is not set`,
            hint: `run ${setSecretCommand(name)}`,
          },
        ]
      : [],
  );
}

/** Checks external addresses, which containers must reach, too. */
function unreachable(config: StackConfig): Problem[] {
  const { kafka, clickhouse } = config;
  // The service `ingest` reads Kafka from inside the stack's network.
  const reads = clickhouse.ingest === "kafka-engine";
  const isInside = reads && kafka.mode === "container" && clickhouse.mode === "external";
  const hasContainers = settingsOf("image", config).length > 0;
  const brokers = kafka.mode === "external" ? kafka.bootstrap : "";
  const server = clickhouse.mode === "external" ? clickhouse.url : "";
  return [
    ...(isInside ? [KAFKA_INSIDE] : []),
    ...(hasContainers && brokers.split(",").map(nameOf).some(isLoopback)
      ? [loopback("kafka.bootstrap", brokers, "kafka.hostBootstrap")]
      : []),
    ...(hasContainers && server && isLoopback(new URL(server).hostname)
      ? [loopback("clickhouse.url", server, "clickhouse.hostUrl")]
      : []),
  ];
}

/** A mart is computed from the layers below. */
function retentionProblems({ clickhouse: { keepOdsDays, keepMartsDays } }: StackConfig): Problem[] {
  if (keepMartsDays === 0 || (keepOdsDays > 0 && keepOdsDays <= keepMartsDays)) return [];
  return [
    {
      message: `clickhouse.keepMartsDays=${keepMartsDays} needs clickhouse.keepOdsDays from 1 to ${keepMartsDays}, not ${keepOdsDays}`,
      hint: `run ${settingCommand("clickhouse.keepOdsDays", `${keepMartsDays}`)}`,
    },
  ];
}

const nameOf = (address: string): string => address.split(":")[0] ?? "";

const KAFKA_INSIDE: Problem = {
  message:
    "clickhouse.mode=external with kafka.mode=container: an external ClickHouse cannot reach a Kafka on the stack's internal network",
  hint: `use an external Kafka, too: run ${settingCommand("kafka.mode", "external")} and ${settingCommand("kafka.bootstrap", "<host>:<port>")}`,
};

const loopback = (setting: string, value: string, ofMachine: string): Problem => ({
  message: `${setting}=${value}: a container cannot reach this machine by a loopback address. ${ofMachine} may have it, for commands on this machine.`,
  hint: `run ${settingCommand(ofMachine, value)} and ${settingCommand(setting, "<address for containers>")}`,
});

/** Checks that no two published ports are equal, and that clients connect to each. */
function portProblems(config: StackConfig): Problem[] {
  const owners = new Map<string, string>();
  return publishedPorts(config).flatMap((published): Problem[] => {
    const { setting, port, protocol } = published;
    const key = `${port}/${protocol === "udp" ? "udp" : "tcp"}`;
    const other = owners.get(key);
    owners.set(key, setting);
    const fault = faultOf(published);
    if (fault !== undefined) return [unusable(setting, fault, freeOffset(config))];
    return other === undefined ? [] : [clash(other, setting, key)];
  });
}

const LAST_PORT = 65_535;

/** Returns why clients cannot use a port; undefined for a usable one. */
function faultOf({ port, protocol }: PublishedPort): string | undefined {
  if (port > LAST_PORT) return `${port}; allowed are ports up to ${LAST_PORT}`;
  return protocol === "http" && BAD_PORTS.has(port)
    ? `${port}, to which browsers and fetch do not connect`
    : undefined;
}

const OFFSET_STEP = 1000;

/** Returns another offset, with which clients can use all ports. */
export function freeOffset(config: StackConfig): number {
  const { network } = config;
  const offsets = Array.from({ length: MAX_OFFSET / OFFSET_STEP + 1 }, (_, n) => n * OFFSET_STEP);
  const isFree = (portOffset: number): boolean =>
    publishedPorts({ ...config, network: { ...network, portOffset } }).every(
      (one) => faultOf(one) === undefined,
    );
  const others = offsets.filter((one) => one > network.portOffset);
  return [...others, ...offsets].find(isFree) ?? 0;
}

const unusable = (setting: string, fault: string, offset: number): Problem => ({
  message: `${setting} plus network.portOffset is ${fault}`,
  hint: `run ${settingCommand("network.portOffset", `${offset}`)}, or make up OFFSET=${offset}`,
});

const clash = (first: string, second: string, port: string): Problem => ({
  message: `${first} and ${second} both publish port ${port}; each service needs its own`,
  hint: `run ${settingCommand(second, "<free port>")}`,
});
