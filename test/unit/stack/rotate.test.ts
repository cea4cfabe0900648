import { beforeEach, expect, test, vi } from "vitest";
import { FakePulumi, fakeModule } from "./fake-pulumi.ts";
import { emptyRoot, fileOf, readConfig, writeConfig } from "./own-root.ts";

let pulumi: FakePulumi;
const upped = vi.hoisted(() => vi.fn());
vi.mock("../../../stack/lifecycle/up.ts", () => ({ up: upped }));
vi.mock("../../../components/shared/state.ts", async () => (await import("./own-root.ts")).ownRoot);
vi.mock("../../../stack/lifecycle/pulumi.ts", () => fakeModule(() => pulumi));
const { rotateSupersetKey } = await import("../../../stack/lifecycle/rotate.ts");

emptyRoot();
const configure = (config: object) => writeConfig(fileOf("dev"), { ...config });
beforeEach(() => {
  upped.mockReset();
  configure({});
  pulumi = new FakePulumi();
  pulumi.state.outputs = { client: { SUPERSET_URL: "http://localhost:8088" } };
  records(1);
});

const records = (...generations: number[]) =>
  pulumi.state.resources.push(
    ...generations.map((one) => ({ urn: `urn:pulumi:dev::p::t::superset-secret-key-${one}` })),
  );
const generation = () =>
  (readConfig(fileOf("dev")).postgres as Record<string, unknown> | undefined)
    ?.supersetKeyGeneration;

test("a rotation sets the next generation, after an up with the previous one", async () => {
  const seen: unknown[] = [];
  upped.mockImplementation(async () => void seen.push(generation()));
  await rotateSupersetKey("dev");
  expect(seen).toEqual([undefined, 2]);
});

test("a rotation that failed before it created its key is completed, without a third key", async () => {
  configure({ postgres: { supersetKeyGeneration: 2 } });
  upped.mockRejectedValueOnce(new Error("the Docker engine does not answer"));
  await expect(rotateSupersetKey("dev")).rejects.toThrow("does not answer");
  await rotateSupersetKey("dev");
  expect(generation()).toBe(2);
});

test("a rotation that failed after it created its key is completed before a third key", async () => {
  upped.mockResolvedValueOnce(undefined).mockImplementation(async () => {
    records(2);
    throw new Error("superset is not healthy");
  });
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(rotateSupersetKey("dev")).rejects.toThrow("not healthy");
  }
  expect(generation()).toBe(2);
});

test("refuses a stack without Superset", async () => {
  pulumi.state.outputs = { client: { AIRFLOW_URL: "http://localhost:8080" } };
  await expect(rotateSupersetKey("dev")).rejects.toMatchObject({
    message: "The stack dev has no superset",
    hint: expect.stringContaining("make up STACK=dev"),
  });
  expect(upped).not.toHaveBeenCalled();
});
