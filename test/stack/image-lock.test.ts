import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lockImages } from "../../scripts/lock-images.ts";
import { startFakeRegistry } from "../support/fake-registry.ts";

// The registry runs in this process, so nothing here may block it.
const run = promisify(execFile);
const docker = async (...args: readonly string[]): Promise<string> =>
  (await run("docker", args)).stdout.trim();

const hasEngine = spawnSync("docker", ["version"]).status === 0;

describe.skipIf(!hasEngine)("the image lock", () => {
  let registry: Awaited<ReturnType<typeof startFakeRegistry>>;
  let image = "";

  beforeAll(async () => {
    registry = await startFakeRegistry();
    image = `${registry.repository}:1.2.3`;
  });

  afterAll(async () => {
    await docker("image", "rm", "--force", `${registry.repository}@${registry.digest}`);
    registry.close();
  });

  test("contains the digest of the index that the registry serves", async () => {
    expect(await lockImages([image])).toEqual({ [image]: registry.digest });
  });

  test("contains a name that the engine can pull and finds by digest", async () => {
    const locked = `${image}@${registry.digest}`;
    await docker("image", "rm", "--force", image, `${registry.repository}@${registry.digest}`);
    await docker("pull", "--quiet", locked);
    expect(await docker("image", "inspect", "--format", "{{json .RepoDigests}}", locked)).toBe(
      JSON.stringify([`${registry.repository}@${registry.digest}`]),
    );
  });

  test("names an image that the engine cannot pull", async () => {
    const missing = "127.0.0.1:9/test/none:1";
    await expect(lockImages([missing])).rejects.toThrow(`docker pull ${missing} failed`);
  });
});
