import type { Admin } from "@platformatic/kafka";
import type { Database } from "../../contract/ports.ts";
import { MANIFEST_TOPIC, STATE_TOPIC } from "../../contract/topics.ts";
import { parseFrame } from "../../generator/operations/record.ts";
import { readLatest } from "../../kafka/read.ts";
import { transform } from "../../warehouse/batch/transform.ts";
import { waitForStorage } from "../../warehouse/loader/wait-for-storage.ts";
import { brokerFeed } from "../../warehouse/reconciliation/broker-feed.ts";
import { prove } from "../../warehouse/reconciliation/prove.ts";
import type { Reconciliation } from "../../warehouse/reconciliation/reconciliation.ts";
import { syncSources } from "../../warehouse/sources/broker.ts";
import { digestsInTopics, referenceOf } from "./soak-reference.ts";

export interface Verdict {
  readonly messages: number;
  readonly unaccounted: number;
  /** Page events that repeat others of the epoch, beyond those injected. */
  readonly doubled: number;
  readonly isManifestEqual: boolean;
  readonly isDataEqual: boolean;
}

/**
 * The reconciliation's verdict after everything is stored and transformed, and the comparison with an
 * undisturbed run.
 */
export async function verdictOn(
  db: Database,
  admin: Admin,
  env: Readonly<Record<string, string>>,
): Promise<Verdict> {
  const epoch = (await syncSources(db, admin)) ?? 0;
  await waitForStorage(db, admin, epoch, () => undefined);
  await transform(db, { fullRefresh: true, waitSeconds: 60 });
  const reconciliation = await prove(db, brokerFeed(db, admin, epoch));
  return {
    messages: reconciliation.messages.reduce((sum, line) => sum + line.raw, 0),
    unaccounted: reconciliation.unaccounted + (reconciliation.inFlight ?? 0),
    doubled: await doubledIn(db, reconciliation),
    ...(await compare(admin, env)),
  };
}

/** Repetitions of page events in dds minus the injected ones; any difference is an error. */
export async function doubledIn(db: Database, { defects }: Reconciliation): Promise<number> {
  const [row] = await db.rows<{ duplicates: number }>(
    "SELECT sum(duplicates) AS duplicates FROM dds.event",
  );
  const injected = defects.find(({ kind }) => kind === "duplicate")?.injected ?? 0;
  return Math.abs(Number(row?.duplicates) - injected);
}

/** Compares with an undisturbed run of the same settings. */
async function compare(
  admin: Admin,
  env: Readonly<Record<string, string>>,
): Promise<Pick<Verdict, "isManifestEqual" | "isDataEqual">> {
  const state = await readLatest(admin, STATE_TOPIC, "test");
  const { generator } = parseFrame(String(state?.value));
  const until = (generator as { model_time_us: number }).model_time_us;
  const reference = await referenceOf(env, until);
  const manifest = await readLatest(admin, MANIFEST_TOPIC, "test");
  const { checksum } = JSON.parse(String(manifest?.value)) as { checksum: string };
  const found = await digestsInTopics(admin);
  return {
    isManifestEqual: checksum === reference.checksum,
    isDataEqual: JSON.stringify(found) === JSON.stringify(reference.digests),
  };
}
