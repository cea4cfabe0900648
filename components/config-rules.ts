import { type PublishedPort, publishedPorts, type StackConfig, settingsOf } from "./config.ts";
import type { Problem } from "./config-error.ts";
import { SECRETS, type SecretName, setSecretCommand } from "./secrets.ts";
import { isLoopback, settingCommand } from "./shared/names.ts";

/** Returns what is wrong between settings that are right each. */
export const brokenRules = (config: StackConfig): Problem[] => [
  ...unreachable(config),
  ...clashes(publishedPorts(config)),
];

/** Returns the secrets that only the user knows and that are not set. */
export function missingSecrets(
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

const LAST_PORT = 65_535;

/** Checks that no two published ports are equal, and none is out of range. */
function clashes(ports: readonly PublishedPort[]): Problem[] {
  const owners = new Map<string, string>();
  return ports.flatMap(({ setting, port, protocol }): Problem[] => {
    const key = `${port}/${protocol}`;
    const other = owners.get(key);
    owners.set(key, setting);
    if (port > LAST_PORT) return [beyondRange(setting, port)];
    return other === undefined ? [] : [clash(other, setting, key)];
  });
}

const beyondRange = (setting: string, port: number): Problem => ({
  message: `${setting} plus network.portOffset is ${port}; allowed are ports up to ${LAST_PORT}`,
  hint: `run ${settingCommand("network.portOffset", "0")}`,
});

const clash = (first: string, second: string, port: string): Problem => ({
  message: `${first} and ${second} both publish port ${port}; each service needs its own`,
  hint: `run ${settingCommand(second, "<free port>")}`,
});
