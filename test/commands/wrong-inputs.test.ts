import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { killAfter, killOnOutput, pipeline } from "../support/cli.ts";
import { useFolder } from "../support/use-folder.ts";

const root = useFolder("wrong-inputs");
const none = join(root, "none");
const file = join(root, "file.csv");
const broken = join(root, "broken.sql");
const database = join(root, "demo");
const DEMO = ["demo", "--days", "1", "--rate", "2", "--report", join(root, "report.html")];

beforeAll(async () => {
  writeFileSync(file, "a,b\n1,2\n");
  writeFileSync(broken, "-- funnel: [\n\nSELECT 1\n");
  mkdirSync(join(root, "folder"));
  expect(pipeline([...DEMO, "--database", database]).status).toBe(0);
});

/** A message of one or more lines, one hint, and no stack trace. */
const SHAPE = /^error: [^\n]+\n(?: {2}[^\n]+\n|\(Did you mean [^\n]+\n)* {2}hint: [^\n]+\n$/;

const GENERATED = { GEN_MODEL_T0: "2026-01-01T00:00:00Z", GEN_MODEL_T_END: "2026-01-01T01:00:00Z" };

/** `named` is what the message must name, if not the last variable or argument. */
type Case = readonly [
  what: string,
  args: readonly string[],
  env?: Record<string, string> | undefined,
  named?: string,
];

const lastOf = (args: readonly string[], env: Record<string, string> = {}): string | undefined =>
  Object.keys(env).at(-1) ?? args.findLast((one) => one !== "");

const COMMANDS: readonly Case[] = [
  ["an unknown command", ["nope"]],
  ["a mistyped command", ["prov"], undefined, "'prov'\n(Did you mean prove?)"],
  ["an unknown option", ["demo", "--nope"]],
  ["a mistyped option", ["prove", "--jsno"], undefined, "'--jsno'\n(Did you mean --json?)"],
  ["too many arguments", ["demo", "extra"]],
  ["a missing argument", ["step"], undefined, "'id'"],
  ["a missing value", ["data", "--dataset"]],
  ["an unknown subcommand", ["dataset", "nope"]],
  ["an unknown step", ["step", "nope"]],
  ["an unknown action of the generator", ["generator", "nope"]],
];

const VALUES: readonly Case[] = [
  ["no day", ["demo", "--days", "0"]],
  ["too many events", ["demo", "--rate", "1e99"]],
  ["an empty seed", ["demo", "--seed", ""]],
  ["an empty folder name of a demo", ["demo", "--database", ""]],
  ["an unknown tier", ["ddl", "--tier", "nope"]],
  ["a layer that cannot be rebuilt", ["ddl", "--rebuild", "stg"]],
  ["a tolerance as a word", ["prove", "--allow-pending", "long"]],
  [
    "a session that is no id",
    ["follow", "--click", "x", "--database", database],
    undefined,
    "--click x",
  ],
  ["an unknown session", ["follow", "--click", crypto.randomUUID(), "--database", database]],
  ["a port as a word", ["serve", "--port", "http"]],
  ["a port to which browsers do not connect", ["serve", "--port", "6000"]],
  ["an empty statement", ["query", " "]],
  ["no statement of SQL", ["query", "SELECT FROM", "--database", database], undefined, "FROM"],
  ["an unknown kind of address", ["prove", "--database", "nope://x"]],
  ["an address in the environment", ["prove"], { CLICKHOUSE_URL: "tcp://localhost:9000" }],
  ["a server that is not there", ["prove", "--database", "http://127.0.0.1:1"]],
  ["a name that nobody knows", ["ddl", "--database", "http://none.invalid:8123"]],
  ["an address to serve", ["serve", "--database", "http://127.0.0.1:1"]],
  ["an unknown variable", ["dataset", "write", none], { ...GENERATED, GEN_NOPE: "1" }],
  ["an end that is no time", ["dataset", "write", none], { ...GENERATED, GEN_MODEL_T_END: "soon" }],
  [
    "an end before the start",
    ["dataset", "write", none],
    { ...GENERATED, GEN_MODEL_T0: "2027-01-01T00:00:00Z" },
  ],
  ["no broker", ["topics"], undefined, "KAFKA_BOOTSTRAP_SERVERS"],
  ["a broker without a port", ["topics"], { KAFKA_BOOTSTRAP_SERVERS: "localhost" }],
  ["a stack's name", ["stack", "up", "--stack", "Not_Valid!"]],
];

const FILES: readonly Case[] = [
  ["no database", ["prove", "--database", none]],
  ["no history", ["history-check", "--database", none]],
  ["a folder of others as the demo's", [...DEMO, "--database", root]],
  ["no dataset", ["dataset", "check", none]],
  ["an empty dataset", ["dataset", "check", join(root, "folder")]],
  ["a header that is no YAML", ["import", file, "--select", broken], undefined, broken],
];

describe.each([
  ["a command line", COMMANDS],
  ["a value", VALUES],
  ["a file", FILES],
] as const)("%s that is wrong gets an error and one hint", (_, cases) => {
  test.each(cases.map(([what, args, env, named]) => ({ what, args, env, named })))(
    "$what",
    (one) => {
      const { args, env, named } = one;
      const { status, stderr } = pipeline(args, env);
      expect(stderr).toMatch(SHAPE);
      expect(stderr.split("hint:")[0]).toContain(named ?? lastOf(args, env));
      // 1 is the verdict of prove that messages are missing.
      expect(status).toBe(args[0] === "prove" ? 2 : 1);
    },
  );
});

test("a demo after a killed one starts over", async () => {
  const directory = join(root, "killed");
  const long = ["demo", "--days", "30", "--report", join(root, "long.html")];
  await killOnOutput([...long, "--database", directory], "generate");
  expect(pipeline([...DEMO, "--database", directory]).status).toBe(0);
  expect(pipeline(["prove", "--database", directory]).status).toBe(0);
});

/** Milliseconds up to 2000, equal for equal seeds. */
const sampledMoment = (what: string): number =>
  createHash("sha256")
    .update(`${process.env.SAMPLE_SEED ?? "1"} ${what}`)
    .digest()
    .readUInt32BE() % 2_000;

test("signals at sampled moments lose nothing, and the command succeeds when it is run again", async () => {
  const at = ["--database", join(root, "signals")];
  const load = ["data", "--limit", "200", ...at];
  const transform = ["transform", "--no-full-refresh", ...at];
  const signals = ["SIGINT", "SIGTERM", "SIGKILL"] as const;
  const killed: string[] = [];
  for (const command of [load, transform]) {
    for (const signal of signals) {
      killed.push(await killAfter(command, sampledMoment(`${command[0]} ${signal}`), signal));
    }
    expect(pipeline(command)).toMatchObject({ status: 0 });
  }
  expect(killed.filter((output) => /^ +at /m.test(output))).toEqual([]);
  expect(pipeline(["prove", "--deep", ...at]).status).toBe(0);
});

test("none of this changed the loaded data", () => {
  expect(pipeline(["prove", "--deep", "--database", database]).status).toBe(0);
  expect(readdirSync(root)).not.toContain("none");
});
