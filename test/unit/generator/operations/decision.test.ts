import { describe, expect, it } from "vitest";
import { parseMicros } from "../../../../contract/time.ts";
import { catalogueDonors } from "../../../../generator/catalogue/donors.ts";
import { parseConfig } from "../../../../generator/config.ts";
import { shapingSettings } from "../../../../generator/fingerprint.ts";
import { DonorPool } from "../../../../generator/model/donors.ts";
import {
  type DecisionRequest,
  decide,
  OPERATIONS,
} from "../../../../generator/operations/decision.ts";
import type { Instance } from "../../../../generator/operations/instance.ts";
import {
  cleanRecord,
  type InstanceRecord,
  startedRecord,
} from "../../../../generator/operations/record.ts";
import { GeneratorRun } from "../../../../generator/run.ts";

const config = parseConfig({});
const donors = new DonorPool(catalogueDonors(config.seed));
const T_END = parseMicros("2026-01-01T02:00:00Z");
const LATER = parseMicros("2026-01-01T03:00:00Z");

const run = new GeneratorRun(config, donors);
run.nextHour(T_END);
const halfway = run.state();
run.nextHour(T_END);
const manifest = run.manifest(T_END);
const end = run.state();

const record = (parts: Partial<InstanceRecord>): InstanceRecord => ({ ...cleanRecord(), ...parts });
const instance = (parts: Partial<Instance>): Instance => ({
  epoch: 1,
  stored: null,
  record: null,
  isWritten: parts.record !== undefined && parts.record !== null,
  manifest: null,
  others: [],
  strays: [],
  shortened: [],
  ...parts,
});

const backfill = { phase: "backfill", t_end_us: T_END, batches: 1 } as const;
const imported = { phase: "import", checksum: manifest.checksum, batches: 2 } as const;
const instances = {
  empty: instance({}),
  wiped: instance({ record: record({}) }),
  "finished backfill": instance({ record: record({ ...backfill, generator: end }), manifest }),
  "finished, live since": instance({
    record: record({ ...backfill, phase: "live", generator: end }),
    manifest,
  }),
  "unfinished backfill": instance({ record: record({ ...backfill, generator: halfway }) }),
  "backfill before its first batch": instance({ record: startedRecord(T_END) }),
  "finished import": instance({ record: record({ ...imported, generator: end }), manifest }),
  "unfinished import": instance({ record: record(imported) }),
  "live from T0": instance({ record: record({ phase: "live", generator: halfway }) }),
  "a load": instance({ others: ["load-1"] }),
  "a load and live": instance({
    record: record({ phase: "live", generator: halfway }),
    others: ["load-1"],
  }),
  strangers: instance({ strays: ["geo_events"] }),
  "topics re-created by hand": instance({
    record: record({ phase: "live", generator: halfway }),
    shortened: ["geo_events"],
  }),
  "state not saved": instance({ record: record({ phase: "live", batches: 5 }) }),
  "state not read": instance({ isWritten: true }),
} as const;

const request = (parts: Partial<DecisionRequest>): DecisionRequest => ({
  operation: "live",
  settings: shapingSettings(config, donors.digest),
  tEnd: T_END,
  tEndIsRelative: false,
  checksum: manifest.checksum,
  reset: false,
  stateEnabled: true,
  confirmed: false,
  enabled: true,
  ...parts,
});

/** Steps, `done`, or the beginning of the refusal. */
function outcome(parts: Partial<DecisionRequest>, on: Instance): string {
  const decision = decide(request(parts), on);
  if (decision.action === "run") return decision.steps.join(" ");
  return decision.action === "done" ? "done" : `refused: ${decision.reason}`;
}

const NOT_EMPTY = "refused: The environment is not empty";
const table: Record<keyof typeof instances, Record<(typeof OPERATIONS)[number], string>> = {
  empty: {
    live: "live",
    backfill: "backfill",
    import: "import",
    continue: "refused: Nothing to continue",
    clean_start: "backfill live",
  },
  wiped: {
    live: "live",
    backfill: "backfill",
    import: "import",
    continue: "refused: Nothing to continue",
    clean_start: "backfill live",
  },
  "finished backfill": {
    live: "live",
    backfill: "done",
    import: "done",
    continue: "live",
    clean_start: "refused: A clean start removes the finished history",
  },
  "finished, live since": {
    live: "live",
    backfill: "done",
    import: "done",
    continue: "live",
    clean_start: "refused: A clean start removes the finished history",
  },
  "unfinished backfill": {
    live: "backfill live",
    backfill: "backfill",
    import: `${NOT_EMPTY}: it holds an unfinished backfill`,
    continue: "refused: There is an unfinished backfill",
    clean_start: "refused: A clean start removes an unfinished backfill",
  },
  "backfill before its first batch": {
    live: "backfill live",
    backfill: "backfill",
    import: NOT_EMPTY,
    continue: "refused: There is an unfinished backfill to 2026-01-01T02:00:00",
    clean_start: "refused: A clean start removes an unfinished backfill",
  },
  "finished import": {
    live: "live",
    backfill: "done",
    import: "done",
    continue: "live",
    clean_start: "refused: A clean start removes the finished history",
  },
  "unfinished import": {
    live: "import live",
    backfill: `${NOT_EMPTY}: it holds an unfinished import`,
    import: "import",
    continue: "refused: There is an unfinished import",
    clean_start: "refused: A clean start removes an unfinished import",
  },
  "live from T0": {
    live: "live",
    backfill: `${NOT_EMPTY}: it holds live generation`,
    import: `${NOT_EMPTY}: it holds live generation`,
    continue: "refused: There is no history to continue",
    clean_start: "refused: A clean start removes live generation",
  },
  "a load": everywhere("data of load-1"),
  "a load and live": everywhere("data of load-1"),
  strangers: everywhere("messages of unknown origin in geo_events"),
  "topics re-created by hand": everywhere("a saved state with more messages than geo_events"),
  "state not saved": everywhere("data made with GEN_STATE_ENABLED=false"),
  "state not read": everywhere("data whose state was not read"),
};

function everywhere(what: string) {
  const refused = `${NOT_EMPTY}: it holds ${what}`;
  const clean = `refused: A clean start removes ${what}`;
  return {
    live: refused,
    backfill: refused,
    import: refused,
    continue: refused,
    clean_start: clean,
  };
}

describe("operations by the content of the instance", () => {
  for (const [name, row] of Object.entries(table)) {
    for (const operation of OPERATIONS) {
      it(`${operation} on ${name}: ${row[operation]}`, () => {
        const found = outcome({ operation }, instances[name as keyof typeof instances]);
        expect(found.slice(0, row[operation].length)).toBe(row[operation]);
      });
    }
  }

  it("no hint of a refusal is itself refused", () => {
    for (const operation of OPERATIONS) {
      for (const [name, on] of Object.entries(instances)) {
        const decision = decide(request({ operation }), on);
        if (decision.action !== "refuse") continue;
        const fixes = hintsIn(decision.hint).map((hint) => decide(request(hint), on).action);
        const where = `${operation} on ${name}: ${decision.hint}`;
        expect({ where, fixes, count: fixes.length > 0 }).toEqual({
          where,
          fixes: fixes.map(() => expect.stringMatching(/^(run|done)$/)),
          count: true,
        });
      }
    }
  });
});

/** The operations in a hint, and its other text. */
function hintsIn(next: string): Partial<DecisionRequest>[] {
  if (/pipeline generator clean-start --yes --t-end INSTANT/.test(next)) {
    return [{ operation: "clean_start", confirmed: true }];
  }
  return OPERATIONS.filter((operation) => new RegExp(`\\b${operation}\\b`).test(next)).map(
    (operation) => ({ operation }),
  );
}

describe("a decision's report", () => {
  const history = "history up to 2026-01-01T02:00:00.000000Z";
  const unfinished = /^(resumes|first finishes) an unfinished backfill to .*, now at 2026-01-01T01/;
  it.each([
    ["backfill", "empty", history],
    ["backfill", "unfinished backfill", unfinished],
    ["import", "empty", `dataset with checksum ${manifest.checksum}`],
    ["import", "unfinished import", /^resumes an unfinished import of the dataset with checksum/],
    ["continue", "finished backfill", `continues from ${manifest.t_end}`],
    ["live", "empty", "starts at T0"],
    ["live", "finished backfill", `continues from the history up to ${manifest.t_end}`],
    ["live", "live from T0", "continues from the stored state"],
    ["live", "unfinished backfill", unfinished],
    ["clean_start", "empty", history],
  ] as const)("%s on %s", (operation, name, reason) => {
    const decision = decide(request({ operation }), instances[name]);
    expect(decision.reason).toEqual(
      typeof reason === "string" ? reason : expect.stringMatching(reason),
    );
  });

  it("a confirmed clean start names the data that it removes and the next steps", () => {
    const confirmed = { operation: "clean_start", confirmed: true } as const;
    expect(decide(request(confirmed), instances["a load"]).reason).toBe(
      `removes data of load-1; ${history}`,
    );
  });

  it("a refusal has a hint", () => {
    const next = (parts: Partial<DecisionRequest>, on: Instance) => {
      const decision = decide(request(parts), on);
      return decision.action === "refuse" ? decision.hint : decision.action;
    };
    expect(next({ enabled: false }, instances.empty)).toBe("run `make generator-up`");
    expect(next({ operation: "continue", enabled: false }, instances.empty)).toBe(
      "run `make generator-up`",
    );
    expect(next({ operation: "import", checksum: null }, instances.empty)).toMatch(
      /pipeline dataset write/,
    );
  });

  it("a refusal names a backfill that live generation could not continue", () => {
    expect(
      decide(request({ stateEnabled: false }), instances["unfinished backfill"]).reason,
    ).toMatch(/^There is an unfinished backfill to .* GEN_STATE_ENABLED=false/);
  });
});

describe("special cases", () => {
  it("a confirmed clean start removes any data", () => {
    for (const on of [instances["a load"], instances.strangers, instances["unfinished import"]]) {
      expect(outcome({ operation: "clean_start", confirmed: true }, on)).toBe("wipe backfill live");
    }
    expect(outcome({ operation: "clean_start", confirmed: true }, instances.empty)).toBe(
      "backfill live",
    );
  });

  it("without a saved state nothing goes live after a history, because it would restart at T0", () => {
    const unsaved = { stateEnabled: false, confirmed: true, operation: "clean_start" } as const;
    expect(outcome(unsaved, instances.empty)).toBe("backfill");
    expect(outcome(unsaved, instances["a load"])).toBe("wipe backfill");
    const decision = decide(request(unsaved), instances.empty);
    expect(decision.reason).toMatch(/GEN_STATE_ENABLED=false/);
    const live = decide(request({ stateEnabled: false }), instances["unfinished backfill"]);
    expect(live).toMatchObject({
      action: "refuse",
      hint: expect.stringMatching(/GEN_STATE_ENABLED=true/),
    });
    expect(outcome({ stateEnabled: false }, instances["unfinished import"])).toBe("import live");
    expect(outcome({ stateEnabled: false }, instances["finished backfill"])).toBe("live");
  });

  it("an interrupted history continues to the requested end", () => {
    const begun = instances["backfill before its first batch"];
    expect(outcome({ operation: "backfill", tEnd: null }, begun)).toBe("backfill");
    expect(outcome({ operation: "backfill", tEnd: LATER }, begun)).toMatch(NOT_EMPTY);
    expect(outcome({ operation: "backfill", stateEnabled: false }, begun)).toBe("backfill");
  });

  it("in standby, nothing goes live", () => {
    const off = { enabled: false, confirmed: true };
    for (const operation of ["live", "continue"] as const) {
      expect(outcome({ ...off, operation }, instances["finished backfill"])).toMatch(/disabled/);
    }
    expect(outcome({ ...off, operation: "backfill" }, instances.empty)).toBe("backfill");
    expect(outcome({ ...off, operation: "clean_start" }, instances["a load"])).toBe(
      "wipe backfill",
    );
  });

  it("another end is another history, unless it was given as now-…", () => {
    const another = { operation: "backfill", tEnd: LATER } as const;
    for (const name of ["finished backfill", "unfinished backfill"] as const) {
      expect(outcome(another, instances[name])).toMatch(/not empty/);
      expect(outcome({ ...another, tEndIsRelative: true }, instances[name])).not.toMatch(/refused/);
      expect(outcome({ ...another, tEnd: null }, instances[name])).not.toMatch(/refused/);
    }
  });

  it("another dataset is another history", () => {
    const another = { operation: "import", checksum: "0".repeat(64) } as const;
    expect(outcome(another, instances["finished import"])).toMatch(/not empty/);
    expect(outcome(another, instances["unfinished import"])).toMatch(/not empty/);
    expect(outcome({ operation: "import", checksum: null }, instances.empty)).toMatch(
      /no dataset/i,
    );
  });

  it("refuses other settings that never change, names each and the way back", () => {
    const settings = { ...request({}).settings, GEN_SEED: "other", GEN_POPULATION_MAX: "9" };
    for (const operation of ["live", "continue", "backfill"] as const) {
      expect(
        decide(request({ operation, settings }), instances["finished backfill"]),
      ).toMatchObject({
        action: "refuse",
        reason: expect.stringMatching(
          /GEN_SEED: 1 in the state, other now; GEN_POPULATION_MAX: 300 in the state, 9 now/,
        ),
        hint: expect.stringMatching(
          /^set GEN_SEED back to 1, set GEN_POPULATION_MAX back to 300; or/,
        ),
      });
    }
  });

  it("goes on with other demo parameters, and names them", () => {
    const settings = { ...request({}).settings, GEN_LAMBDA_BASE_PER_MIN: "60" };
    for (const name of ["finished backfill", "live from T0"] as const) {
      expect(decide(request({ settings }), instances[name])).toMatchObject({
        action: "run",
        steps: ["live"],
        reason: expect.stringMatching(
          /, from now on with GEN_LAMBDA_BASE_PER_MIN 60 \(before: 30\)$/,
        ),
      });
    }
    const backfill = { operation: "backfill", settings } as const;
    expect(outcome(backfill, instances["finished backfill"])).toBe("done");
    expect(outcome(backfill, instances["unfinished backfill"])).toBe("backfill");
  });

  it("a reset clears this instance's own state in a new epoch, and no other data", () => {
    for (const name of ["finished backfill", "live from T0", "state not read"] as const) {
      expect(outcome({ reset: true }, instances[name])).toBe("begin_epoch live");
    }
    expect(outcome({ reset: true }, instances.empty)).toBe("live");
    expect(outcome({ reset: true }, instances["a load and live"])).toMatch(/not empty/);
    // A cleared state cannot continue: refused as on an empty instance.
    expect(outcome({ reset: true, operation: "continue" }, instances["live from T0"])).toBe(
      "refused: Nothing to continue: the environment is empty",
    );
  });

  it("without a saved state every start is a first start", () => {
    const unsaved = { stateEnabled: false };
    expect(outcome(unsaved, instances["state not saved"])).toBe("begin_epoch live");
    const finished = instance({ record: record({ ...backfill, batches: 2 }), manifest });
    expect(outcome({ ...unsaved, operation: "backfill" }, finished)).toBe("done");
  });

  it("a history needs an end", () => {
    for (const operation of ["backfill", "clean_start"] as const) {
      expect(outcome({ operation, tEnd: null }, instances.empty)).toMatch(
        /GEN_MODEL_T_END is not set/,
      );
    }
  });
});
