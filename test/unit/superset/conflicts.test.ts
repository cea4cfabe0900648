import { afterEach, expect, test } from "vitest";
import { DATABASE_NAME } from "../../../superset/bundle.ts";
import { assetId } from "../../../superset/identity.ts";
import { SupersetClient } from "../../../superset/import/client.ts";
import { refuseForeignAssets } from "../../../superset/import/conflicts.ts";
import { FakeHttp } from "../dashboards/fake-http.ts";

let superset: FakeHttp | undefined;
afterEach(() => superset?.close());

/** A Superset that contains only these database connections. */
async function holding(...databases: readonly object[]): Promise<SupersetClient> {
  const answers: Record<string, unknown> = {
    "/api/v1/security/login": { access_token: "token" },
    "/api/v1/security/csrf_token/": { result: "csrf" },
    "/api/v1/database/": { result: databases },
    "/api/v1/dataset/": { result: [] },
  };
  superset = await FakeHttp.start((path) => {
    const body = answers[path.replace(/\?.*/, "")];
    return body ? { body } : { status: 404, body: { message: "Not found" } };
  });
  return SupersetClient.login({ url: superset.url, user: "admin", password: "x" });
}

const STRANGER = "00000000-0000-4000-8000-000000000001";

test("another user's connection under our name is a conflict", async () => {
  const client = await holding({ uuid: STRANGER, database_name: DATABASE_NAME });
  await expect(refuseForeignAssets(client)).rejects.toMatchObject({
    message: expect.stringContaining(`the database connection "${DATABASE_NAME}"`),
    hint: expect.stringContaining("rename or delete them"),
  });
});

test("our own, and others of another name, are not", async () => {
  const client = await holding(
    { uuid: assetId("database", "marts"), database_name: DATABASE_NAME },
    { uuid: STRANGER, database_name: "Elsewhere" },
  );
  await expect(refuseForeignAssets(client)).resolves.toBeUndefined();
});
