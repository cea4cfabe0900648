import { BI_USER } from "../database/users.ts";
import { postgresDatabase } from "../postgres/spec.ts";
import {
  commonSpec,
  hostUrl,
  imageOf,
  ownImage,
  type PlanContext,
  publish,
} from "../shared/context.ts";
import { BI_KEY, hasPrevious } from "../shared/encryption-keys.ts";
import type { DatabaseEndpoint } from "../shared/endpoints.ts";
import { httpHealthCheck, IS_OK } from "../shared/health.ts";
import { SECRETS, secretFiles } from "../shared/secret-files.ts";
import { justSecret, type SecretText } from "../shared/secret-text.ts";
import type { ContainerSpec, HealthCheck, ServicePlan, ServiceSpec } from "../shared/spec.ts";
import { biConfig } from "./config.ts";

const ALIAS = "superset";
const PORT = 8088;

export interface BiPlan extends ServiceSpec {
  readonly service: ServicePlan;
  readonly url: string;
  readonly baseImage: string;
  readonly marts: { readonly url: string; readonly user: string };
}

export function planBi(context: PlanContext, database: DatabaseEndpoint): BiPlan | null {
  const { bi } = context.config;
  if (!bi.enabled) return null;
  const port = publish(context, "bi.port", PORT, bi.port);
  const metadata = postgresDatabase("bi");
  const secrets = secretFiles(context, ALIAS, contentsOf(context));
  const container: ContainerSpec = {
    ...commonSpec,
    role: "bi",
    name: context.names.container(ALIAS),
    alias: ALIAS,
    image: ownImage(context, ALIAS),
    environment: {
      EVENT_PIPELINE_SECRETS: SECRETS,
      SUPERSET_METADATA_URI: `postgresql+psycopg2://${metadata.user}@${metadata.host}:${metadata.port}/${metadata.name}`,
    },
    user: "1000:1000",
    ports: [port],
    mounts: [secrets.mount],
    health,
    memoryMiB: bi.memoryMiB,
    measuredMiB: 241,
    cpus: bi.cpus,
    graceSeconds: 15,
    startTexts: { secrets: secrets.startText },
  };
  const url = hostUrl(context, port);
  return {
    url,
    address: { title: "Superset", url, user: "admin", isTool: true },
    baseImage: imageOf(context, biConfig.images, "superset"),
    marts: martsOf(context, database),
    service: { container, configs: [secrets.config], dataVolumes: [] },
  };
}

/** An external database has only its configured user. */
function martsOf({ config }: PlanContext, database: DatabaseEndpoint): BiPlan["marts"] {
  const isOwn = config.database.mode === "container";
  return { url: database.insideUrl, user: isOwn ? BI_USER : database.user };
}

const contentsOf = (context: PlanContext): Record<string, SecretText> => ({
  "secret-key": justSecret("biSecretKey"),
  ...(hasPreviousKey(context) ? { "previous-secret-key": justSecret("biPreviousSecretKey") } : {}),
  "admin-password": justSecret("adminPassword"),
  "metadata-password": justSecret("biDatabasePassword"),
});

const hasPreviousKey = ({ config, configured }: PlanContext): boolean =>
  hasPrevious(BI_KEY, config.bi.secretKeyGeneration, configured);

const health: HealthCheck = {
  test: httpHealthCheck(PORT, "/health", IS_OK),
  everySeconds: 3,
  timeoutSeconds: 5,
  patienceSeconds: 180,
};
