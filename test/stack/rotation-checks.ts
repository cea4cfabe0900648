import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { SupersetClient } from "../../superset/import/client.ts";
import { queryCharts } from "../../superset/import/outcome.ts";
import { type Outputs, run } from "./plain-pulumi.ts";

/** The running stack before and after the change of a secret. */
interface RotatedStack {
  readonly stack: string;
  readonly before: Outputs;
  readonly after: Outputs;
}

/** @throws Error if a service refuses the new value or accepts the old one */
export type Check = (rotated: RotatedStack) => Promise<void>;

const WITHIN_MS = 180_000;
const container = (stack: string, alias: string): string => `event-pipeline-${stack}-${alias}`;

/** @throws the last error if it does not succeed in time */
async function eventually(check: () => Promise<void>): Promise<void> {
  for (const deadline = Date.now() + WITHIN_MS; ; await sleep(1000)) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

/** Checks a ClickHouse user. */
export const databaseLogin =
  (user: string, secret: string): Check =>
  async ({ before, after }) => {
    const login = async (password = ""): Promise<number> => {
      const headers = { "X-ClickHouse-User": user, "X-ClickHouse-Key": password };
      return (await fetch(`${after.client.CLICKHOUSE_URL}/?query=SELECT+1`, { headers })).status;
    };
    await eventually(async () => assert.equal(await login(after.secrets[secret]), 200));
    assert.equal(await login(before.secrets[secret]), 403, `${user} still logs in as before`);
  };

/** Checks a PostgreSQL user over the network, because the local socket asks for no password. */
export const postgresLogin =
  (user: string, secret: string): Check =>
  async ({ stack, before, after }) => {
    const login = (password = ""): string => {
      const url = `postgresql://${user}:${password}@postgres/postgres`;
      const psql = ["psql", "--no-psqlrc", "--tuples-only", "--no-align", url];
      return run("docker", [
        ...["exec", container(stack, "postgres"), ...psql],
        ...["--command", "SELECT 'in'"],
      ]).trim();
    };
    assert.equal(login(after.secrets[secret]), "in");
    assert.throws(() => login(before.secrets[secret]), /password authentication failed/);
  };

export const controlToken: Check = async ({ before, after }) => {
  const status = async (token = ""): Promise<number> => {
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${after.client.GENERATOR_URL}/control`, { method: "POST", headers }))
      .status;
  };
  // The login succeeds, then the query is refused.
  assert.notEqual(await status(after.secrets.controlToken), 401);
  assert.equal(await status(before.secrets.controlToken), 401);
};

async function airflow({ client, secrets }: Outputs, path: string, init: RequestInit = {}) {
  const login = Buffer.from(`admin:${secrets.adminPassword}`).toString("base64");
  const headers = { Authorization: `Basic ${login}`, "Content-Type": "application/json" };
  return fetch(`${client.AIRFLOW_URL}/api/v1${path}`, { ...init, headers });
}

/** Checks that Airflow reads its metadata and DAGs. */
export const airflowWorks: Check = async ({ after }) =>
  eventually(async () => assert.equal((await airflow(after, "/dags")).status, 200));

const supersetOf = ({ client, secrets }: Outputs): Promise<SupersetClient> =>
  SupersetClient.login({
    url: client.SUPERSET_URL ?? "",
    user: "admin",
    password: secrets.adminPassword ?? "",
  });

/**
 * Checks that Superset reads its metadata, decrypts its connection's password, and reads the marts.
 */
export const chartsWork: Check = async ({ after }) => {
  for await (const { chart, error } of queryCharts(await supersetOf(after))) {
    assert.equal(error, undefined, chart.key);
  }
};

export const administrator: Check = async (rotated) => {
  await airflowWorks(rotated);
  assert.equal((await airflow(rotated.before, "/dags")).status, 401);
  await supersetOf(rotated.after);
  await assert.rejects(supersetOf(rotated.before), /wrong password/);
};

const targetsSchema = z.object({
  data: z.object({
    activeTargets: z.array(
      z.object({ scrapePool: z.string(), health: z.string(), lastScrape: z.string() }),
    ),
  }),
});

/** Checks that Prometheus has scraped the database since. */
export const layersScraped: Check = async ({ after }) => {
  const since = Date.now();
  await eventually(async () => {
    const answer = await fetch(`${after.client.METRICS_URL}/api/v1/targets?state=active`);
    const { activeTargets } = targetsSchema.parse(await answer.json()).data;
    const target = activeTargets.find(({ scrapePool }) => scrapePool === "pipeline");
    assert.ok(target && Date.parse(target.lastScrape) > since, "not asked yet");
    assert.equal(target.health, "up");
  });
};

const VARIABLE = { key: "rotation", value: "stays readable" };

/** A variable that Airflow stores encrypted. */
export async function storeVariable(outputs: Outputs): Promise<void> {
  const init = { method: "POST", body: JSON.stringify(VARIABLE) };
  assert.equal((await airflow(outputs, "/variables", init)).status, 200);
}

export const variableReadable: Check = async ({ after }) => {
  const answer = await airflow(after, `/variables/${VARIABLE.key}`);
  assert.equal(((await answer.json()) as typeof VARIABLE).value, VARIABLE.value);
};

/** A service's encrypted values as stored in PostgreSQL. */
export const storedIn = (stack: string, database: string, query: string): string =>
  run("docker", [
    ...["exec", container(stack, "postgres"), "psql", "--username", "postgres", "--no-psqlrc"],
    ...["--tuples-only", "--no-align", "--dbname", database, "--command", query],
  ]).trim();
