import { expect, test } from "vitest";
import { DATABASE_NAME } from "../../../superset/bundle.ts";
import { sessions } from "../../../superset/datasets.ts";
import { assetId } from "../../../superset/identity.ts";
import { SupersetClient } from "../../../superset/import/client.ts";
import { refuseForeignAssets } from "../../../superset/import/conflicts.ts";
import { fakeHttp } from "../dashboards/fake-http.ts";

interface Held {
  readonly databases?: readonly object[];
  readonly datasets?: readonly object[];
}

/** A Superset that contains only these assets. */
async function holding({ databases = [], datasets = [] }: Held): Promise<SupersetClient> {
  const page = (all: readonly object[], path: string) => {
    const start = Number(/page:(\d+)/.exec(path)?.[1]) * 100;
    return { result: all.slice(start, start + 100) };
  };
  const answers: Record<string, (path: string) => unknown> = {
    "/api/v1/security/login": () => ({ access_token: "token" }),
    "/api/v1/security/csrf_token/": () => ({ result: "csrf" }),
    "/api/v1/database/": (path) => page(databases, path),
    "/api/v1/dataset/": (path) => page(datasets, path),
  };
  const { url } = await fakeHttp((path) => {
    const body = answers[path.replace(/\?.*/, "")]?.(path);
    return body ? { body } : { status: 404, body: { message: "Not found" } };
  });
  return SupersetClient.login({ url, user: "admin", password: "x" });
}

const STRANGER = "00000000-0000-4000-8000-000000000001";

test("another user's connection under our name is a conflict", async () => {
  const client = await holding({
    databases: [{ uuid: STRANGER, database_name: DATABASE_NAME }],
  });
  await expect(refuseForeignAssets(client)).rejects.toMatchObject({
    message: expect.stringContaining(`the database connection "${DATABASE_NAME}"`),
    hint: expect.stringContaining("rename or delete them"),
  });
});

test("our own, and others of another name, are not", async () => {
  const client = await holding({
    databases: [
      { uuid: assetId("database", "marts"), database_name: DATABASE_NAME },
      { uuid: STRANGER, database_name: "Elsewhere" },
    ],
  });
  await expect(refuseForeignAssets(client)).resolves.toBeUndefined();
});

test("another user's dataset on one of our tables is a conflict, also beyond the first hundred", async () => {
  const dataset = (table_name: string) => ({
    uuid: STRANGER,
    table_name,
    schema: "dm",
    database: { uuid: assetId("database", "marts") },
  });
  const others = Array.from({ length: 100 }, (_, n) => dataset(`other_${n}`));
  const client = await holding({ datasets: [...others, dataset(sessions.table)] });
  await expect(refuseForeignAssets(client)).rejects.toThrow(`the dataset dm.${sessions.table}`);
});
