import { setTimeout as sleep } from "node:timers/promises";
import { emptyBatch } from "../../contract/ports.ts";
import { STATE_TOPIC, topicSpecs } from "../../contract/topics.ts";
import { type ChosenSettings, parseFrame } from "../../generator/operations/record.ts";
import { openBroker } from "../../kafka/client.ts";
import { KafkaPublisher } from "../../kafka/publisher.ts";
import { readLatest } from "../../kafka/read.ts";
import { deleteTopics as deleteUntilGone } from "../../kafka/topics.ts";
import { connectionTo } from "../kafka/connection.ts";
import { waitFor } from "../kafka/harness.ts";
import type { TestSystem } from "./environment.ts";

const WITHIN_MS = 300_000;
const ATTEMPTS = 5;

/** Resolves during a step, while the step holds the lease of the database. */
export async function waitForStep({ db }: TestSystem, step: string): Promise<void> {
  for (const deadline = Date.now() + WITHIN_MS; Date.now() < deadline; await sleep(5)) {
    const held = await db.rows<{ step: string }>(HELD);
    if (held[0]?.step === step) return;
  }
  throw new Error(`${step} was never seen at work`);
}

const HELD = `
  SELECT step FROM stg.lease
  WHERE id IN (
    SELECT toUInt64OrZero(extract(name, '^eventpipeline_lease_(\\\\d+)$')) FROM system.databases
  )
  ORDER BY id DESC LIMIT 1`;

/**
 * Waits until a DAG has a running run and returns its id.
 * @param id of the run of `generator_control` that starts it
 */
export async function runningBehind(system: TestSystem, dag: string, id: string): Promise<string> {
  const { airflow } = system;
  let running: string | undefined;
  await waitFor(
    `${dag} runs`,
    async () => {
      const { state } = await airflow.client.run("generator_control", id);
      if (state === "failed")
        throw new Error(JSON.stringify(await system.ended("generator_control", id)));
      const { dag_runs: found } = await airflow.ask<{ dag_runs: { dag_run_id: string }[] }>(
        "GET",
        `/dags/${dag}/dagRuns?state=running`,
      );
      running = found[0]?.dag_run_id;
      return running !== undefined;
    },
    WITHIN_MS,
    500,
  );
  return running ?? "";
}

/** Marks a run as failed, as an operator does in the web interface. */
export async function failRun({ airflow }: TestSystem, dag: string, id: string): Promise<void> {
  const path = `/dags/${dag}/dagRuns/${encodeURIComponent(id)}`;
  // A scheduler that has just read the run overwrites this state.
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await airflow.ask("PATCH", path, { state: "failed" });
    await sleep(5_000);
    if ((await airflow.client.run(dag, id)).state === "failed") return;
  }
  throw new Error(`${dag} ${id} does not stay failed`);
}

/** Writes a generator state of an older version to the broker. */
export async function storeGeneratorState({ broker }: TestSystem, state: object): Promise<void> {
  const connection = connectionTo(broker.bootstrap);
  const publisher = await KafkaPublisher.open({ connection, instance: "test" });
  await publisher.publishBatch(emptyBatch(), { state });
  await publisher.close();
}

/** Seed and speed of the request, which stay with the history. */
export async function chosenByInstance({
  broker,
}: TestSystem): Promise<ChosenSettings | undefined> {
  const admin = await openBroker(connectionTo(broker.bootstrap), "test");
  const stored = await readLatest(admin, STATE_TOPIC, "test");
  await admin.close();
  return parseFrame(String(stored?.value)).chosen;
}

/**
 * Recreates every topic, so that no state of a generator or load counts.
 * Uses force, because a killed generator counts as live for a while.
 */
export async function emptyTopics(system: TestSystem): Promise<void> {
  const { status, stderr } = await system.pipeline("topics", "--reset", "--all", "--force");
  if (status !== 0) throw new Error(stderr);
}

/** Removes all topics, including the states and manifests of generator instances. */
export async function deleteTopics({ broker }: TestSystem): Promise<void> {
  const admin = await openBroker(connectionTo(broker.bootstrap), "test");
  await deleteUntilGone(
    admin,
    topicSpecs().map(({ name }) => name),
  );
  await admin.close();
}

/** Resolves during a backfill, after it has written some batches since this call. */
export async function waitForBackfill(system: TestSystem): Promise<void> {
  let from: number | undefined;
  const isAtWork = async (): Promise<boolean> => {
    const { state, batches } = await system.generatorStatus();
    if (state.kind !== "running" || state.step !== "backfill") return false;
    // Until the first batch of a new history is written, the count is that of the previous history.
    from = Math.min(from ?? batches, batches);
    return batches >= from + 3;
  };
  await waitFor("a backfill is under way", isAtWork, WITHIN_MS, 5);
}

/** Resolves when the scheduler has started a task of a run. */
export async function waitForTask(
  { airflow }: TestSystem,
  dag: string,
  id: string,
  wanted: string,
): Promise<void> {
  const hasBegun = async () => {
    const tasks = await airflow.client.tasks(dag, id);
    return tasks.some(({ task_id, start_date }) => task_id === wanted && start_date !== null);
  };
  await waitFor(`${wanted} begins`, hasBegun, WITHIN_MS, 200);
}
