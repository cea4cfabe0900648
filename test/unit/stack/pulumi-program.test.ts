import { expect, test } from "vitest";
import { isPulumiInstalled, pulumiProgram } from "../../../stack/lifecycle/pulumi-program.ts";

const packageWith = (resolve: () => Promise<string>) => (name: string) => {
  expect(name).toBe("pulumi/lib/resolve.js");
  return { resolve };
};

test("uses the program that its package finds or downloads", async () => {
  expect(await pulumiProgram(packageWith(async () => "/cache/bin/pulumi"))).toBe(
    "/cache/bin/pulumi",
  );
  await expect(
    pulumiProgram(packageWith(async () => Promise.reject(new Error("no route")))),
  ).rejects.toThrow("The Pulumi command line cannot be downloaded: no route");
});

test("without the package the error names the command that installs it", async () => {
  const missing = () => {
    throw new Error("Cannot find module");
  };
  await expect(pulumiProgram(missing)).rejects.toThrow("The Pulumi command line is not installed");
});

test("the installed package has the functions that are used", async () => {
  expect(isPulumiInstalled()).toBeTypeOf("boolean");
  const { createRequire } = await import("node:module");
  const { resolve } = createRequire(import.meta.url)("pulumi/lib/resolve.js");
  expect(await resolve({ version: "0.0.0-none", install: async () => undefined })).toMatch(
    /versions.0\.0\.0-none.bin.pulumi/,
  );
});
