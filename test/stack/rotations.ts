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
  secret: "schedulerFernetKey",
  by: { generation: "scheduler.fernetKeyGeneration" },
  restarts: AIRFLOW,
  checks: [airflowWorks, variableReadable],
  encrypted: { database: "airflow", query: "SELECT val FROM variable WHERE key = 'rotation'" },
};

const supersetKey: Rotation = {
  secret: "biSecretKey",
  by: { generation: "bi.secretKeyGeneration" },
  restarts: ["bi"],
  checks: [chartsWork],
  encrypted: { database: "superset", query: "SELECT encode(password, 'hex') FROM dbs" },
};

/** Every secret. Keys occur twice, because only the second rotation drops the first key. */
export const rotations: readonly Rotation[] = [
  replace("adminPassword", "shared-admin-password", [...AIRFLOW, "bi"], administrator),
  replace(
    "databasePassword",
    "database-password",
    ["database", ...AIRFLOW],
    databaseLogin("default", "databasePassword"),
    airflowWorks,
    layersScraped,
    chartsWork,
  ),
  replace("biPassword", "database-bi-password", [], databaseLogin("bi", "biPassword"), chartsWork),
  replace(
    "monitorPassword",
    "database-monitor-password",
    [],
    databaseLogin("monitor", "monitorPassword"),
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
    "schedulerDatabasePassword",
    "postgres-scheduler-password",
    AIRFLOW,
    postgresLogin("airflow", "schedulerDatabasePassword"),
    airflowWorks,
  ),
  replace(
    "biDatabasePassword",
    "postgres-bi-password",
    ["bi"],
    postgresLogin("superset", "biDatabasePassword"),
    chartsWork,
  ),
  replace("schedulerWebKey", "scheduler-web-key", AIRFLOW, airflowWorks),
  replace(
    "(key of digests)",
    "shared-digest-key",
    ["database", "generator", ...AIRFLOW, "bi"],
    airflowWorks,
    chartsWork,
  ),
  ...[fernetKey, fernetKey, supersetKey, supersetKey],
];
