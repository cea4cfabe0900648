import { afterAll, expect, test } from "vitest";
import { forgetState, pulumi, readText, writeFile } from "./operator.ts";

const STACK = "recorded";
/** `pulumi stack export` of an earlier program, without containers, images and commands. */
const STATE = "test/stack/previous-version.json";

interface Resource {
  readonly urn: string;
  readonly type: string;
}

interface Preview {
  readonly steps: readonly { op: string; oldState?: Resource; newState?: Resource }[];
}

afterAll(forgetState);

test("an upgrade of a stack of the previous version keeps every volume and secret", () => {
  process.env.PULUMI_CONFIG_PASSPHRASE = STACK;
  pulumi(STACK, "stack", "init");
  writeFile(`Pulumi.${STACK}.yaml`, readText("test/stack/previous-version.yaml"));
  pulumi(STACK, "stack", "import", "--file", STATE);
  const { deployment } = JSON.parse(readText(STATE)) as { deployment: { resources: Resource[] } };
  const kept = deployment.resources.filter(isKept);
  expect(kept.length).toBeGreaterThan(20);

  const { steps } = JSON.parse(pulumi(STACK, "preview", "--json", "--show-sames")) as Preview;
  const planned = steps.filter(({ newState, oldState }) =>
    isKept((newState ?? oldState) as Resource),
  );
  expect(planned.filter(({ op }) => !["same", "update"].includes(op))).toEqual([]);
  expect(planned).toHaveLength(kept.length);
});

const isKept = ({ type }: Resource): boolean => /:Volume$|^random:/.test(type);
