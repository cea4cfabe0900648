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

const AIRFLOW = ["airflow", "airflow-web"];

/** A change of one secret, and its expected effects. */
export interface Rotation {
  readonly secret: string;
  /** The replaced resource, or the setting that counts the key's generations. */
  readonly by: { readonly replace: string } | { readonly generation: string };
  /** Services whose containers are replaced. */
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
  by: { generation: "airflow.fernetKeyGeneration" },
  restarts: AIRFLOW,
  checks: [airflowWorks, variableReadable],
  encrypted: { database: "airflow", query: "SELECT val FROM variable WHERE key = 'rotation'" },
};

const supersetKey: Rotation = {
  secret: "supersetSecretKey",
  by: { generation: "superset.secretKeyGeneration" },
  restarts: ["superset"],
  checks: [chartsWork],
  encrypted: { database: "superset", query: "SELECT encode(password, 'hex') FROM dbs" },
};

/** Every secret. Keys occur twice, because only the second rotation drops the first key. */
export const rotations: readonly Rotation[] = [
  replace("adminPassword", "admin-password", ["superset"], administrator),
  replace(
    "clickhousePassword",
    "clickhouse-password",
    ["clickhouse", "airflow"],
    databaseLogin("default", "clickhousePassword"),
    airflowWorks,
    layersScraped,
    chartsWork,
  ),
  replace(
    "clickhouseBiPassword",
    "clickhouse-bi-password",
    ["clickhouse"],
    databaseLogin("bi", "clickhouseBiPassword"),
    chartsWork,
  ),
  replace(
    "clickhouseMonitorPassword",
    "clickhouse-monitor-password",
    ["clickhouse", "prometheus"],
    databaseLogin("monitor", "clickhouseMonitorPassword"),
    layersScraped,
  ),
  replace("controlToken", "generator-control-token", ["generator", "airflow"], controlToken),
  replace(
    "postgresPassword",
    "postgres-password",
    ["postgres"],
    postgresLogin("postgres", "postgresPassword"),
  ),
  replace(
    "airflowDatabasePassword",
    "airflow-database-password",
    AIRFLOW,
    postgresLogin("airflow", "airflowDatabasePassword"),
    airflowWorks,
  ),
  replace(
    "supersetDatabasePassword",
    "superset-database-password",
    ["superset"],
    postgresLogin("superset", "supersetDatabasePassword"),
    chartsWork,
  ),
  replace("airflowWebKey", "airflow-web-key", AIRFLOW, airflowWorks),
  ...[fernetKey, fernetKey, supersetKey, supersetKey],
];
