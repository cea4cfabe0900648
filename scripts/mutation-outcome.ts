/** Outcome of a mutation. `refused`: the engine rejects the SQL. */
export type Outcome = "killed" | "survived" | "refused" | "timed out";

export interface TestReport {
  readonly success: boolean;
  readonly testResults: readonly {
    /** Reason why the whole file failed, for example in a hook. */
    readonly message: string;
    readonly assertionResults: readonly { status: string; failureMessages: readonly string[] }[];
  }[];
}

const TIMED_OUT = /\b(Test|Hook) timed out in \d+ms/;
const REFUSED = /DatabaseError|Code: \d+\./;

/** Returns `killed` if a test fails for a reason other than refusal or timeout. */
export function outcomeFrom({ success, testResults }: TestReport): Outcome {
  if (success) return "survived";
  const failures = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "failed")
    .map(({ failureMessages }) => failureMessages.join("\n"));
  if (failures.some((text) => !TIMED_OUT.test(text) && !REFUSED.test(text))) return "killed";
  const all = [...failures, ...testResults.map(({ message }) => message)];
  return all.some((text) => TIMED_OUT.test(text)) ? "timed out" : "refused";
}
