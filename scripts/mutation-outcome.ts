/**
 * What the tests say about a mutation. `refused`: the engine does not take the statement. `timed out`:
 * the tests did not end, which a busy machine causes as well. Neither proves anything about a test.
 */
export type Outcome = "killed" | "survived" | "refused" | "timed out";

/** The part that is read of the report of vitest's reporter `json`. */
export interface TestReport {
  readonly success: boolean;
  readonly testResults: readonly {
    /** Why a whole file failed, for example in a hook. */
    readonly message: string;
    readonly assertionResults: readonly { status: string; failureMessages: readonly string[] }[];
  }[];
}

const TIMED_OUT = /\b(Test|Hook) timed out in \d+ms/;
const REFUSED = /DatabaseError|Code: \d+\./;

/** One test that fails for another reason than these two is enough for a kill. */
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
