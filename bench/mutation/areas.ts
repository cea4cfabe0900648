interface Area {
  readonly mutate: readonly string[];
  /** Globs of test files. A mutant in code that runs on import runs them all, so keep them few. */
  readonly tests: readonly string[];
}

const UNIT = "test/unit";

export const areas: Readonly<Record<string, Area>> = {
  contract: {
    mutate: ["contract/*.ts"],
    tests: [
      `${UNIT}/contract/{errors,records,statement,streams,time}.test.ts`,
      `${UNIT}/kafka/connection.test.ts`,
      // Superset and Grafana get metrics and columns by these names.
      `${UNIT}/superset/assets.test.ts`,
      `${UNIT}/dashboards/golden.test.ts`,
    ],
  },
  model: {
    mutate: ["generator/model/!(state).ts"],
    // Leaves out tests of whole days and weeks: they are slow and kill few more mutants.
    tests: [
      `${UNIT}/generator/{budget,coefficient,donors,messages,outbox,pages,poisson}.test.ts`,
      `${UNIT}/generator/{population,random,short-run,time-queue}.test.ts`,
    ],
  },
  state: {
    mutate: ["generator/model/state.ts"],
    tests: [`${UNIT}/generator/{short-run,state}.test.ts`],
  },
  kafka: {
    mutate: ["kafka/{encode,records,partition}.ts"],
    tests: [`${UNIT}/kafka/{encode,records}.test.ts`],
  },
  ledger: {
    // Without code that only reads: the broker's offsets, the database's bookkeeping.
    mutate: [
      "warehouse/ledger/{bounds,cut,defects,findings,interrupted,layers,ledger,messages}.ts",
      "warehouse/ledger/{per-stream,progress,render,source,waiting}.ts",
    ],
    tests: [`${UNIT}/warehouse/ledger/*.test.ts`],
  },
  decide: {
    mutate: ["generator/operations/decision.ts"],
    tests: [`${UNIT}/generator/operations/decision.test.ts`],
  },
  plan: {
    // Only planners with decisions; the golden files cover those that list settings.
    mutate: [
      "components/{services,database/settings,database/users,generator/spec,metrics/scrape}.ts",
      "components/shared/{context,encryption-keys,health,secret-files}.ts",
    ],
    tests: [
      `${UNIT}/stack/{program-dev,program-external}.test.ts`,
      `${UNIT}/stack/{plan,plan-generator,plan-bi,secrets}.test.ts`,
    ],
  },
};
