import { Command } from "commander";
import { describe, expect, test, vi } from "vitest";
import {
  type DagRun,
  SchedulerClient,
  SchedulerUnavailable,
  type TaskInstance,
} from "../../../airflow/api-client.ts";
import {
  causeOf,
  failuresOf,
  retryWhileUnavailable,
  waitForDag,
  watchRun,
} from "../../../airflow/watch-run.ts";
import { collectParam, registerDag } from "../../../cli/dag.ts";
import { serveHttp } from "../../support/http.ts";

test.each([
  ["limit=50", { limit: 50 }],
  ["full_refresh=false", { full_refresh: false }],
  ["t_end=2026-01-08T00:00:00Z", { t_end: "2026-01-08T00:00:00Z" }],
  ["seed=a=b", { seed: "a=b" }],
  ["seed=", { seed: "" }],
  ["seed=42", { seed: 42 }],
  // As numbers, both would become another seed.
  ["seed=12345678901234567890", { seed: "12345678901234567890" }],
  ["seed=1e3", { seed: "1e3" }],
  ["seed=-0", { seed: "-0" }],
  ["speed=0.5", { speed: 0.5 }],
])("the parameter %s is %j", (text, expected) => expect(collectParam(text)).toEqual(expected));

test("parameters are combined, and one without a value is refused", () => {
  expect(collectParam("b=2", { a: 1 })).toEqual({ a: 1, b: 2 });
  expect(() => collectParam("limit")).toThrow(/key=value/);
});

test("the cause of a failed task is its last exception, else its last error", () => {
  const cause = { exc_value: "error: the schema is missing\n  hint: make ddl" };
  const run = { event: "DagRun finished with failed state.", level: "error" };
  const log = [
    { event: "Task failed with exception", level: "error", error_detail: [cause] },
    run,
    { event: "::endgroup::", level: "info" },
  ];
  expect(causeOf(log)).toBe("error: the schema is missing\n  hint: make ddl");
  expect(causeOf([run, { event: "::endgroup::", level: "info" }])).toBe(run.event);
  expect(causeOf([])).toBe("no error in the log");
});

test.each([
  ["is read last", [[], [], ["other"], ["other", "wanted"]], 4],
  ["is misspelt", [[], ["other"]], 6],
])("a DAG that %s is awaited for a limited time", async (_, readings, looks) => {
  let asked = 0;
  const dags = async () => {
    const names = readings[Math.min(asked++, readings.length - 1)] ?? [];
    return names.map((dag_id) => ({ dag_id, is_paused: false, description: null }));
  };
  await waitForDag({ dags }, "wanted", 1);
  expect(asked).toBe(looks);
});

describe("watching a run", () => {
  const running = { dag_run_id: "r", state: "running", start_date: null, end_date: null } as const;
  const ended: DagRun = { ...running, state: "success" };
  const patience = { withinSeconds: 30, onTask: () => undefined, pollMs: 1, silenceMs: 1_000 };

  /** An API server that gives these answers in order, and repeats the last. */
  async function answering(...answers: readonly (DagRun | "away" | number)[]) {
    let turn = 0;
    const url = await serveHttp((request, response) => {
      if (request.url === "/auth/token") return response.end('{"access_token":"t"}');
      if (request.url?.endsWith("/taskInstances")) return response.end('{"task_instances":[]}');
      const answer = answers[Math.min(turn++, answers.length - 1)];
      if (answer === "away") return response.destroy();
      if (typeof answer === "number") return response.writeHead(answer).end("<html>");
      return response.end(JSON.stringify(answer));
    });
    return new SchedulerClient({ url, user: "admin", password: "" });
  }

  test("survives a restart of the API server, and reports it", async () => {
    const client = await answering(running, "away", 503, "away", running, ended);
    const said: string[] = [];
    const options = { ...patience, onSilence: (words: string) => said.push(words) };
    expect(await watchRun(client, "etl_pipeline", "r", options)).toEqual(ended);
    expect(said).toEqual([
      expect.stringMatching(/does not answer.*Retrying; runs continue/),
      "The scheduler answers again.",
    ]);
  });

  test("gives up on a missing API server after a time limit, with the command that watches the run", async () => {
    const client = await answering(running, "away");
    const since = performance.now();
    await expect(watchRun(client, "etl_pipeline", "r", patience)).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringMatching(
        /does not answer.*The result of etl_pipeline is unknown.*run r/,
      ),
      hint: expect.stringMatching(/pipeline dag follow etl_pipeline r/),
    });
    expect(performance.now() - since).toBeGreaterThanOrEqual(patience.silenceMs);
  });

  /** Answers after this many failed attempts. */
  const awayFor = <T>(times: number, answer: T) => {
    let asked = 0;
    return async (): Promise<T> => {
      asked += 1;
      if (asked <= times) throw new SchedulerUnavailable("It does not answer", "make ps");
      return answer;
    };
  };

  test("retries the request for the reason of a failure", async () => {
    const task: TaskInstance = {
      task_id: "load_ods",
      state: "failed",
      try_number: 1,
      start_date: null,
      duration: 1,
    };
    const client = {
      tasks: awayFor(2, [task]),
      log: awayFor(1, [{ event: "disk full", level: "error" }]),
    };
    expect(await failuresOf(client, "etl_pipeline", "r", patience)).toEqual([
      { task: "load_ods", words: "disk full" },
    ]);
  });

  test("an unanswered request about a run names the command that watches it", async () => {
    const ask = awayFor(Number.POSITIVE_INFINITY, true);
    await expect(
      retryWhileUnavailable(ask, "etl_pipeline", "r", { ...patience, silenceMs: 20 }),
    ).rejects.toMatchObject({ hint: expect.stringMatching(/pipeline dag follow etl_pipeline r/) });
  });

  test("does not retry a refused request", async () => {
    const client = await answering(running, 401);
    await expect(watchRun(client, "etl_pipeline", "r", patience)).rejects.toThrow(
      /rejects the password of user/,
    );
  });
});

test("a watched run prints what its tasks note for the user", async () => {
  const note = "note: The generator dev is paused\n  run pipeline generator resume";
  const answers: Record<string, object> = {
    "/auth/token": { access_token: "t" },
    "/dags": { dags: [{ dag_id: "broker_load" }] },
    "/dags/broker_load": { is_paused: false },
    "/dags/broker_load/dagRuns": { dag_run_id: "r" },
    "/dags/broker_load/dagRuns/r": { dag_run_id: "r", state: "success" },
    "/dags/broker_load/dagRuns/r/taskInstances": { task_instances: [] },
    "/dags/broker_load/dagRuns/r/taskInstances/~/xcomEntries?xcom_key=note": {
      xcom_entries: [{ key: "note", task_id: "load_broker" }],
    },
    "/dags/broker_load/dagRuns/r/taskInstances/load_broker/xcomEntries/note": {
      value: note,
    },
  };
  const url = await serveHttp((request, response) => {
    const answer = answers[request.url?.replace("/api/v2", "") ?? ""];
    response.writeHead(answer ? 200 : 404).end(JSON.stringify(answer ?? {}));
  });
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const program = new Command();
  registerDag(program);
  await program.parseAsync(["dag", "run", "broker_load", "--wait", "--url", url], { from: "user" });
  const said = write.mock.calls.map(([text]) => String(text)).join("");
  write.mockRestore();
  expect(said).toBe(
    "broker_load: run r\nnote: The generator dev is paused\n  run ./pipeline generator resume\nbroker_load: success\n",
  );
});
