import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BI_USER } from "../../components/clickhouse/settings.ts";
import { runBackfill } from "../../generator/backfill.ts";
import { catalogueDonors } from "../../generator/catalogue/donors.ts";
import { parseConfig } from "../../generator/config.ts";
import { DonorPool } from "../../generator/model/donors.ts";
import type { MartsAddress } from "../../superset/bundle.ts";
import { ServerDatabase } from "../../warehouse/database/http.ts";
import { StgPublisher } from "../../warehouse/loader/stg-publisher.ts";
import { currentEpoch } from "../../warehouse/sources/epoch.ts";
import { finishedHistory } from "../../warehouse/sources/source.ts";
import { storeSource } from "../../warehouse/sources/stored.ts";
import {
  type ContainerDatabase,
  DATABASE_SECRETS,
  startContainerDatabase,
} from "../support/container-database.ts";
import { load } from "../support/pipeline.ts";

/** The database of a stack, as Superset reaches it. */
export interface Marts {
  readonly db: ServerDatabase;
  readonly address: MartsAddress;
  /** Stops the database. */
  disconnect(): Promise<void>;
  /** Starts it again at the same address with this password of Superset's user. */
  connect(password: string): Promise<void>;
  stop(): Promise<void>;
}

/** @param password of the user `bi` */
export async function startMarts(password: string): Promise<Marts> {
  const directory = mkdtempSync(join(tmpdir(), "bi-marts-"));
  const start = (clickhouseBiPassword: string, httpPort = 0): Promise<ContainerDatabase> =>
    startContainerDatabase({
      directory,
      httpPort,
      secrets: { clickhouseBiPassword },
      // A server in another zone than its users must not shift anything.
      settings: { timezone: "America/New_York" },
    });
  let database: ContainerDatabase | undefined = await start(password);
  const { http: port, url } = database;
  const db = new ServerDatabase({
    url,
    user: "default",
    password: DATABASE_SECRETS.clickhousePassword,
  });
  const disconnect = async (): Promise<void> => {
    await database?.stop();
    database = undefined;
  };
  return {
    db,
    address: { host: "127.0.0.1", port, isSecure: false, user: BI_USER },
    disconnect,
    async connect(next) {
      await disconnect();
      database = await start(next, port);
    },
    async stop() {
      await db.close();
      await disconnect();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A history with typical defects, loaded from stg to dm. Times are those of the generator. */
export async function fill(
  db: ServerDatabase,
  from: string,
  to: string,
  rate: number,
  seed = "1",
): Promise<void> {
  const share = String(Math.ceil((200 * rate) / 30));
  const config = parseConfig({
    GEN_RUN_MODE: "backfill",
    GEN_BEHAVIOUR: "shop",
    GEN_SEED: seed,
    GEN_MODEL_T0: from,
    GEN_MODEL_T_END: to,
    GEN_LAMBDA_BASE_PER_MIN: String(rate),
    GEN_MAX_EVENTS_PER_TICK: String(Math.ceil((50 * rate) / 30)),
    GEN_MAX_ACTIVE_SESSIONS: share,
    GEN_POPULATION_MAX: share,
  });
  const publisher = await StgPublisher.open(db);
  const donors = new DonorPool(catalogueDonors(config.seed));
  const { manifest } = await runBackfill(config, donors, publisher);
  await publisher.close();
  await storeSource(db, await currentEpoch(db), finishedHistory("backfill", manifest));
  await load(db, "full");
}
