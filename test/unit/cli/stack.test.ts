import { expect, test } from "vitest";
import { pipeline } from "../../support/cli.ts";

test("stack commands need Docker, and say so before they ask Pulumi, which may have to be downloaded", () => {
  const env = { DOCKER_HOST: "unix:///none.sock", PULUMI_HOME: "/dev/null", STACK: "" };
  const { status, stderr } = pipeline(["stack", "run", "--", "prove"], env);
  expect(stderr).toMatch(/^error: .*docker.*\n {2}hint: .* then run make doctor$/im);
  expect(stderr).not.toContain("ulumi");
  expect(status).toBe(1);
});
