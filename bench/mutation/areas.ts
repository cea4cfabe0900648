interface Area {
  readonly mutate: readonly string[];
  /** Globs of few test files, because a mutant in code that runs on import runs all of them. */
  readonly tests: readonly string[];
}

const UNIT = "test/unit";

export const areas: Readonly<Record<string, Area>> = {
  contract: {
    mutate: ["contract/*.ts"],
    tests: [
      `${UNIT}/contract/{errors,records,statement,streams,time,tls}.test.ts`,
      `${UNIT}/kafka/connection.test.ts`,
      // These tests check names of metrics and columns.
      `${UNIT}/superset/assets.test.ts`,
      `${UNIT}/dashboards/golden.test.ts`,
    ],
  },
  model: {
    mutate: ["generator/model/!(state).ts"],
    // Omits tests of whole days and weeks, which are slow and kill few additional mutants.
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
    // Omits code that only reads offsets and tables.
    mutate: [
      "warehouse/ledger/{bounds,cut,defects,findings,interrupted-load,layers,ledger,messages}.ts",
      "warehouse/ledger/{per-stream,progress,render,source,waiting-rows}.ts",
    ],
    tests: [`${UNIT}/warehouse/ledger/*.test.ts`],
  },
  decide: {
    mutate: ["generator/operations/decision.ts"],
    tests: [`${UNIT}/generator/operations/decision.test.ts`],
  },
  plan: {
    // Omits planners without decisions, which the golden files cover.
    mutate: [
      "components/{services,database/settings,database/users,generator/spec,metrics/scrape}.ts",
      "components/shared/{encryption-keys,health,placement,secret-files}.ts",
    ],
    tests: [
      `${UNIT}/stack/{program-dev,program-external}.test.ts`,
      `${UNIT}/stack/{plan,plan-generator,plan-bi,secrets}.test.ts`,
    ],
  },
};
