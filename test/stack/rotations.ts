import {
  administrator,
  airflowWorks,
  type Check,
  chartsWork,
  controlToken,
  databaseLogin,
  layersScraped,
  postgresLogin,
  variableReadable,
} from "./rotation-checks.ts";

const AIRFLOW = ["scheduler", "scheduler-web"];

/** A change of one secret, and its expected effects. */
export interface Rotation {
  readonly secret: string;
  /** The replaced resource, or the setting that counts the key's generations. */
  readonly by: { readonly replace: string } | { readonly generation: string };
  /** Roles of the replaced containers. */
  readonly restarts: readonly string[];
  readonly checks: readonly Check[];
  /** Values that the secret encrypts, which must be stored again. */
  readonly encrypted?: { readonly database: string; readonly query: string };
}

const replace = (
  secret: string,
  resource: string,
  restarts: readonly string[],
  ...checks: readonly Check[]
): Rotation => ({ secret, by: { replace: resource }, restarts, checks });

const fernetKey: Rotation = {
  secret: "airflowFernetKey",
  by: { generation: "scheduler.fernetKeyGeneration" },
  restarts: AIRFLOW,
  checks: [airflowWorks, variableReadable],
  encrypted: { database: "airflow", query: "SELECT val FROM variable WHERE key = 'rotation'" },
};

const supersetKey: Rotation = {
  secret: "supersetSecretKey",
  by: { generation: "bi.secretKeyGeneration" },
  restarts: ["bi"],
  checks: [chartsWork],
  encrypted: { database: "superset", query: "SELECT encode(password, 'hex') FROM dbs" },
};

/** Every secret. Keys occur twice, because only the second rotation drops the first key. */
export const rotations: readonly Rotation[] = [
  replace("adminPassword", "shared-admin-password", [...AIRFLOW, "bi"], administrator),
  replace(
    "clickhousePassword",
    "database-password",
    ["database", ...AIRFLOW],
    databaseLogin("default", "clickhousePassword"),
    airflowWorks,
    layersScraped,
    chartsWork,
  ),
  replace(
    "clickhouseBiPassword",
    "database-bi-password",
    [],
    databaseLogin("bi", "clickhouseBiPassword"),
    chartsWork,
  ),
  replace(
    "clickhouseMonitorPassword",
    "database-monitor-password",
    [],
    databaseLogin("monitor", "clickhouseMonitorPassword"),
    layersScraped,
  ),
  replace("controlToken", "generator-control-token", ["generator", ...AIRFLOW], controlToken),
  replace(
    "postgresPassword",
    "postgres-password",
    [],
    postgresLogin("postgres", "postgresPassword"),
  ),
  replace(
    "airflowDatabasePassword",
    "postgres-scheduler-password",
    AIRFLOW,
    postgresLogin("airflow", "airflowDatabasePassword"),
    airflowWorks,
  ),
  replace(
    "supersetDatabasePassword",
    "postgres-bi-password",
    ["bi"],
    postgresLogin("superset", "supersetDatabasePassword"),
    chartsWork,
  ),
  replace("airflowWebKey", "scheduler-web-key", AIRFLOW, airflowWorks),
  replace(
    "(key of digests)",
    "shared-digest-key",
    ["database", "generator", ...AIRFLOW, "bi"],
    airflowWorks,
    chartsWork,
  ),
  ...[fernetKey, fernetKey, supersetKey, supersetKey],
];
