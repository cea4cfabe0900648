import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { statementOf } from "../../contract/statement.ts";
import { EmbeddedEngine } from "../../embedded/engine.ts";
import { type HttpInterface, startHttp } from "../../embedded/http/server.ts";
import { runBackfill } from "../../generator/backfill.ts";
import { catalogueDonors } from "../../generator/catalogue/donors.ts";
import { parseConfig } from "../../generator/config.ts";
import { DonorPool } from "../../generator/model/donors.ts";
import type { MartsAddress } from "../../superset/bundle.ts";
import { StgPublisher } from "../../warehouse/loader/stg-publisher.ts";
import { currentEpoch } from "../../warehouse/reconciliation/prove.ts";
import { storeSource } from "../../warehouse/reconciliation/source.ts";
import { load } from "../support/pipeline.ts";

/** The real engine behind ClickHouse's HTTP interface, as Superset reaches a database. */
export interface Marts {
  readonly db: EmbeddedEngine;
  readonly address: MartsAddress;
  /** Stops the database. */
  disconnect(): Promise<void>;
  /** Starts it again at the same address with this password. */
  connect(password: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startMarts(password: string): Promise<Marts> {
  // A server in another zone than its users must not shift anything.
  process.env.TZ = "America/New_York";
  const directory = mkdtempSync(join(tmpdir(), "bi-marts-"));
  const db = new EmbeddedEngine(directory);
  let http: HttpInterface | undefined = await startHttp(db, { port: 0, password });
  const { port } = http;
  const disconnect = async (): Promise<void> => {
    await http?.close();
    http = undefined;
  };
  return {
    db,
    address: { host: "127.0.0.1", port, isSecure: false, user: "default" },
    disconnect,
    async connect(next) {
      await disconnect();
      http = await startHttp(db, { port, password: next });
    },
    async stop() {
      await disconnect();
      await db.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A history with typical defects, loaded from stg to dm. Times are those of the generator. */
export async function fill(
  db: EmbeddedEngine,
  from: string,
  to: string,
  rate: number,
): Promise<void> {
  const share = String(Math.ceil((200 * rate) / 30));
  const config = parseConfig({
    GEN_RUN_MODE: "backfill",
    GEN_BEHAVIOUR: "shop",
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
  const statement = statementOf(manifest);
  await storeSource(db, await currentEpoch(db), { name: "backfill", statement, manifest });
  await load(db, "full");
}
