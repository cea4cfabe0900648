import { overview } from "../../superset/dashboards/overview.ts";
import type { DatabaseEndpoint } from "../database/endpoint.ts";
import type { DatabaseReaders } from "../database/spec.ts";
import { postgresDatabase } from "../postgres/spec.ts";
import { BI_KEY, hasPrevious } from "../shared/encryption-keys.ts";
import { HTTP_200_PATTERN, httpHealthCheck } from "../shared/health.ts";
import {
  builtImageName,
  commonSpec,
  hostUrl,
  imageOf,
  type Placement,
  publish,
} from "../shared/placement.ts";
import { SECRETS, secretFiles } from "../shared/secret-files.ts";
import { justSecret, type SecretText } from "../shared/secret-text.ts";
import {
  type Account,
  type Address,
  type ClientAccess,
  type ContainerSpec,
  type HealthCheck,
  type ServicePlan,
  type ServiceSpec,
  servicePlan,
} from "../shared/spec.ts";
import { type BiConfig, biConfig } from "./config.ts";

export const IMPORT_COMMANDS = ["bi-init"];

const ALIAS = "superset";
const PORT = 8088;

export interface BiPlan extends ServiceSpec {
  readonly service: ServicePlan;
  readonly address: Address;
  readonly client: ClientAccess;
  readonly baseImages: readonly [string];
  readonly databaseAccount: Account;
}

interface Database {
  readonly endpoint: DatabaseEndpoint;
  readonly readers: DatabaseReaders;
}

export function planBi(config: BiConfig, at: Placement, database: Database): BiPlan {
  const port = publish(at, "bi.port", PORT, config.port, "/health");
  const metadata = postgresDatabase("bi");
  const secrets = secretFiles(at, ALIAS, contentsOf(config, at));
  const container: ContainerSpec = {
    ...commonSpec,
    role: "bi",
    name: at.names.container(ALIAS),
    alias: ALIAS,
    image: builtImageName(at, ALIAS),
    environment: {
      EVENT_PIPELINE_SECRETS: SECRETS,
      SUPERSET_METADATA_URI: `postgresql+psycopg2://${metadata.user}@${metadata.host}:${metadata.port}/${metadata.name}`,
    },
    user: "1000:1000",
    ports: [port],
    health,
    memoryMiB: config.memoryMiB,
    measuredMiB: 241,
    cpus: config.cpus,
    graceSeconds: 15,
    replaceTriggers: { secrets: secrets.replaceTrigger },
  };
  const url = hostUrl(at, port);
  return {
    address: {
      title: "Superset",
      url,
      user: "admin",
      isTool: true,
      first: { page: `/superset/dashboard/${overview.slug}/`, shows: "what visitors do" },
    },
    client: clientOf(url, database),
    databaseAccount: database.readers.bi,
    baseImages: [imageOf(at, biConfig.images, "superset")],
    service: servicePlan({ container, configs: [secrets.config] }),
  };
}

const clientOf = (url: string, { endpoint, readers }: Database): ClientAccess => ({
  environment: {
    SUPERSET_URL: url,
    BI_DATABASE_URL: endpoint.insideUrl,
    BI_DATABASE_USER: readers.bi.user,
  },
  secrets: { SUPERSET_PASSWORD: "adminPassword", BI_DATABASE_PASSWORD: readers.bi.password },
});

const contentsOf = (config: BiConfig, { configured }: Placement): Record<string, SecretText> => ({
  "secret-key": justSecret("biSecretKey"),
  ...(hasPrevious(BI_KEY, config.secretKeyGeneration, configured)
    ? { "previous-secret-key": justSecret("biPreviousSecretKey") }
    : {}),
  "admin-password": justSecret("adminPassword"),
  "metadata-password": justSecret("biDatabasePassword"),
});

const health: HealthCheck = {
  test: httpHealthCheck(PORT, "/health", HTTP_200_PATTERN),
  everySeconds: 3,
  timeoutSeconds: 5,
  unhealthyAfterSeconds: 180,
};
