import { quote } from "../../contract/command-call.ts";
import { UserError } from "../../contract/errors.ts";
import { emptyBatch } from "../../contract/ports.ts";
import { announcement } from "../../contract/source.ts";
import { addBatch, emptyStatement, totalOf } from "../../contract/statement.ts";
import { parseMicros } from "../../contract/time.ts";
import { donorsFromDataset } from "../dataset/donors.ts";
import type { Dataset, DatasetManifest } from "../dataset/format.ts";
import { readBatches, readDatasetState } from "../dataset/reader.ts";
import { validateDataset } from "../dataset/validate.ts";
import { DonorPool } from "../model/donors.ts";
import type { StateV3 } from "../model/state.ts";
import { type Outcome, runAsWriter, type StepContext, type Takeover } from "./context.ts";
import { cleanRecord, type InstanceRecord } from "./record.ts";

interface Importable {
  readonly dataset: Dataset;
  readonly manifest: DatasetManifest["manifest"];
  readonly state: StateV3;
}

/** Imports a dataset; commits manifest and state last. @throws UserError if the set is invalid */
export async function importStep(context: StepContext, dataset: Dataset): Promise<Outcome> {
  const importable = await examine(dataset);
  return runAsWriter(context, (taken) => publish(context, taken, importable));
}

async function examine(dataset: Dataset): Promise<Importable> {
  const { problems } = await validateDataset(dataset.dir);
  const state = await readDatasetState(dataset, new DonorPool(await donorsFromDataset(dataset)));
  const missing = dataset.manifest ? (state ? [] : ["state"]) : ["manifest.json"];
  if (problems.length > 0) {
    throw new UserError(
      `Dataset ${dataset.dir} does not match its manifest: ${problems.join("; ")}`,
      `run pipeline dataset check ${quote(dataset.dir)}, or create a new one with pipeline dataset write`,
    );
  }
  if (!dataset.manifest || !state) {
    throw new UserError(
      `Dataset ${dataset.dir} has no ${missing.join(", ")}: an import needs manifest and state`,
      "run make data, which loads a dataset without manifest and state",
    );
  }
  return { dataset, manifest: dataset.manifest.manifest, state };
}

async function publish(
  { watcher, signal }: StepContext,
  { publisher, record }: Takeover,
  { dataset, manifest, state }: Importable,
): Promise<Outcome> {
  requireSame(record, manifest.checksum);
  const statement = emptyStatement();
  const total = totalOf(manifest);
  const done = record?.batches ?? 0;
  let batches = 0;
  const frame = { phase: "import", checksum: manifest.checksum } as const;
  for await (const batch of readBatches(dataset)) {
    addBatch(statement, batch);
    batches += 1;
    // Skips committed batches; every run splits the dataset into the same batches.
    if (batches <= done) continue;
    if (signal.aborted) return "stopped";
    await publisher.hasRoom();
    const next: InstanceRecord = {
      ...cleanRecord(),
      ...frame,
      batches,
      statement: structuredClone(statement),
    };
    void publisher.send({
      batch,
      record: next,
      ...(batches === 1 ? { source: announcement } : {}),
    });
    watcher.progressed(totalOf(statement) / total);
  }
  const end = { t_end_us: parseMicros(manifest.t_end), generator: state, batches: batches + 1 };
  await publisher.send({
    batch: emptyBatch(),
    record: { ...cleanRecord(), ...frame, ...end },
    source: manifest,
    isSilent: true,
  });
  return "completed";
}

function requireSame(record: InstanceRecord | null, checksum: string): void {
  if (record?.phase !== "import" || record.checksum === checksum) return;
  throw new UserError(
    `The unfinished import uses the dataset with checksum ${record.checksum}, but this one has ${checksum}`,
    "choose the previous dataset, or start over: pipeline generator clean-start --yes --t-end INSTANT",
  );
}
