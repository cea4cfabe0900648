import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../../warehouse/database/open.ts";
import { passwordFile } from "../../warehouse/engine/record.ts";
import { applyLeases } from "../../warehouse/schema/ddl.ts";
import { CLI, cleanEnvironment, pipeline } from "../support/cli.ts";
import { useFolder } from "../support/use-folder.ts";

const root = useFolder("cli-workspace");

const state = join(root, "state");
/** Uses the last workspace, as in a separate checkout. */
const run = (...args: string[]) => pipeline(args, { EVENT_PIPELINE_STATE: state });

describe("a checkout without an earlier run", () => {
  test.each(["prove", "follow", "history-analytics", "history-check", "serve"])(
    "%s prints how to load data, and creates nothing",
    (command) => {
      const { status, stderr } = run(command);
      expect(status).toBe(command === "prove" ? 2 : 1);
      expect(stderr).toContain(`${join(state, "data")} has no data yet`);
      expect(stderr).toContain(
        "hint: run ./pipeline demo to generate a history, or ./pipeline data",
      );
      expect(existsSync(state)).toBe(false);
    },
  );

  test("data and transform need neither a schema nor a named directory", () => {
    expect(run("data", "--limit", "50")).toMatchObject({ status: 0 });
    expect(run("transform")).toMatchObject({ status: 0 });
    expect(run("prove")).toMatchObject({ status: 0 });
    expect(run("follow").stdout).toContain("browser_events");
  });

  test("a command without --database says which workspace it reads", () => {
    const own = join(state, "data");
    expect(run("prove").stderr).toBe(`workspace: ${own}\n`);
    expect(run("prove", "--database", own).stderr).toBe("");
  });

  test("transform reports that nothing is new since the last load", () => {
    expect(run("transform").stdout).toContain("No new data in stg since the last load.");
  });

  test("transform without data ends at once and reports it", () => {
    const directory = join(root, "new");
    const { status, stderr } = run("transform", "--database", directory);
    expect(status).toBe(1);
    expect(stderr).toMatch(/is empty\n {2}hint: run `\.\/pipeline data --database /);
  });

  test("a load completes a schema whose creation was interrupted", async () => {
    const directory = join(root, "interrupted");
    const db = await openDatabase(directory);
    await applyLeases(db);
    await db.close();
    const load = run("data", "--limit", "50", "--database", directory);
    expect(load).toMatchObject({ status: 0 });
    expect(run("prove", "--database", directory).stderr).toMatch(/transform/);
  });
});

describe("the last workspace", () => {
  const demo = join(root, "demo");

  test("is the demo's after a demo", () => {
    const size = ["--days", "1", "--rate", "2", "--report", join(root, "r.html")];
    expect(run("demo", ...size, "--database", demo).status).toBe(0);
    expect(run("prove").status).toBe(0);
    expect(run("history-check").stdout).toContain("not checked: no generator");
  });

  test("stays the same while another one is only read", () => {
    expect(run("prove", "--database", join(state, "data")).status).toBe(0);
    expect(run("history-check").status).toBe(0);
  });

  test("is served, and the other commands use the same engine", async () => {
    const { child, url } = await serve();
    try {
      expect(run("prove")).toMatchObject({ status: 0 });
      expect(run("follow").stdout).toContain("browser_events");
      const again = await serve();
      expect(again.url).toBe(url);
      await end(again.child, "SIGINT");
      for (const option of ["--port", "--native-port"]) {
        expect(run("serve", option, "65535").stderr).toMatch(
          new RegExp(
            `^error: ${option} 65535: the engine of \\S+ runs already, on port \\d+\n  hint: `,
          ),
        );
      }
      const reader = {
        CLICKHOUSE_USER: "reader",
        CLICKHOUSE_PASSWORD_FILE: passwordFile(demo, "reader"),
      };
      const byAddress = pipeline(["query", "SELECT 7 AS n", "--database", url], reader);
      expect(byAddress.stdout).toContain("7");
      expect(pipeline(["query", "SELECT 7", "--database", url]).stderr).toContain(
        `error: ${url} refuses the user or password\n`,
      );
      expect(run("data", "--limit", "50")).toMatchObject({ status: 0 });
      expect(run("transform")).toMatchObject({ status: 0 });
      expect(run("prove")).toMatchObject({ status: 0 });
    } finally {
      await end(child, "SIGTERM");
    }
    expect(run("prove")).toMatchObject({ status: 0 });
  });

  test("is used by the next command after its server was killed", async () => {
    const { child } = await serve();
    await end(child, "SIGKILL");
    expect(run("prove")).toMatchObject({ status: 0 });
  });

  test("ends its server when it is deleted, and is not used any more", async () => {
    const { child, errors } = await serve();
    rmSync(demo, { recursive: true, maxRetries: 5 });
    const [status] = await once(child, "close");
    expect(status).toBe(1);
    expect(errors()).toMatch(
      /^error: The workspace \S+demo was deleted, so its engine has ended\n {2}hint: run make demo /,
    );
    expect(run("prove").stderr).toBe(`workspace: ${join(state, "data")}\n`);
  });
});

async function serve(): Promise<{ child: ChildProcess; url: string; errors: () => string }> {
  const child = spawn(process.execPath, [CLI, "serve", "--port", "0", "--native-port", "0"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...cleanEnvironment(), EVENT_PIPELINE_STATE: state },
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const [text] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  return { child, url: /^ *HTTP +(\S+)$/m.exec(text)?.[1] ?? "", errors: () => errors };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}
