import { setTimeout as sleep } from "node:timers/promises";
import type { Admin } from "@platformatic/kafka";
import { UserError } from "../../contract/errors.ts";
import type { Database } from "../../contract/ports.ts";
import { STREAMS } from "../../contract/streams.ts";
import { committedEnds } from "../../kafka/consumer-lag.ts";
import { readEpoch } from "../../kafka/epoch.ts";
import type { OffsetRange } from "../../kafka/read.ts";
import { readBrokerSources, requireSameEpoch, syncSources } from "../sources/broker.ts";
import { currentEpoch } from "../sources/epoch.ts";
import { sentBy } from "../sources/source.ts";
import { type Cut, EpochChangedError, type SourceFeed } from "./feed.ts";
import { findUndelivered, readPositions } from "./undelivered.ts";

const FOLLOWS_WITHIN_MS = 30_000;
const POLL_MS = 200;

/** Opens the feed. @param isRetry registers a new epoch first @throws UserError without an epoch */
export async function openBrokerFeed(
  db: Database,
  admin: Admin,
  isRetry: boolean,
): Promise<SourceFeed> {
  if (isRetry) await waitForBrokerEpoch(db, admin);
  const epoch = await syncSources(db, admin);
  await requireSameEpoch(db, admin);
  if (epoch !== null) return brokerFeed(db, admin, epoch);
  throw new UserError("The broker has no epoch: its topics are missing", "run `make topics`");
}

async function waitForBrokerEpoch(db: Database, admin: Admin): Promise<void> {
  const end = Date.now() + FOLLOWS_WITHIN_MS;
  while (Date.now() < end && ((await readEpoch(admin))?.epoch ?? 0) < (await currentEpoch(db))) {
    await sleep(POLL_MS);
  }
}

export const brokerFeed = (db: Database, admin: Admin, epoch: number): SourceFeed => ({
  epoch,
  cut: async () => {
    const { before, after, ends } = await cutBetween(
      () => readBrokerSources(admin, epoch),
      () => committedEnds(admin),
    );
    if ((await readEpoch(admin))?.epoch !== epoch) throw new EpochChangedError();
    const positions = await readPositions(db, admin, ends);
    return {
      before,
      after,
      ends: new Map(STREAMS.map((stream, index) => [stream, byPartition(ends[index] ?? [])])),
      undelivered: (stored) => findUndelivered(admin, positions, stored, epoch),
    };
  },
});

const byPartition = (ranges: readonly OffsetRange[]): Map<number, bigint> =>
  new Map(ranges.map(({ partition, end }) => [partition, end]));

const ATTEMPTS = 20;

/** Reads topic ends between two readings of the sources: equal readings prove exact ends. */
export async function cutBetween<E>(
  readSources: () => Promise<Cut["before"]>,
  readEnds: () => Promise<E>,
  attempts = ATTEMPTS,
): Promise<Pick<Cut, "before" | "after"> & { readonly ends: E }> {
  let before = await readSources();
  for (let left = attempts - 1; ; left--) {
    const ends = await readEnds();
    const after = await readSources();
    if (left <= 0 || isSame(before, after)) return { before, after, ends };
    before = after;
  }
}

function isSame(before: Cut["before"], after: Cut["after"]): boolean {
  const [one, other] = [sentBy(before).counts, sentBy(after).counts];
  return STREAMS.every((stream) => one[stream] === other[stream]);
}
