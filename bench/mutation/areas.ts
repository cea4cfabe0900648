/** What is mutated together, and the unit tests that answer for it. */
interface Area {
  /** Globs of the files to mutate. */
  readonly mutate: readonly string[];
  /** Globs of test files, in this order. A mutant met while modules load runs them all: keep them few. */
  readonly tests: readonly string[];
}

const UNIT = "test/unit";

export const areas: Readonly<Record<string, Area>> = {
  contract: {
    mutate: ["contract/*.ts"],
    tests: [
      `${UNIT}/contract/{errors,records,statement,streams,time}.test.ts`,
      `${UNIT}/kafka/connection.test.ts`,
      // Metrics and columns by their names, as Superset and Grafana get them.
      `${UNIT}/superset/assets.test.ts`,
      `${UNIT}/dashboards/golden.test.ts`,
    ],
  },
  model: {
    mutate: ["generator/model/!(state).ts"],
    // Without the tests of whole model days and weeks: they find little more, in a hundred times the time.
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
    // Without what only reads: the broker's offsets, the database's bookkeeping.
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
    // The planners with decisions in them; the others list settings, which the golden files have.
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
