/** `refused`: by the engine. `timed out`: perhaps only because the machine is busy. */
export type Outcome = "killed" | "survived" | "refused" | "timed out";

export interface TestReport {
  readonly success: boolean;
  readonly testResults: readonly {
    /** Why the whole file failed, for example in a hook. */
    readonly message: string;
    readonly assertionResults: readonly { status: string; failureMessages: readonly string[] }[];
  }[];
}

const TIMED_OUT = /\b(Test|Hook) timed out in \d+ms/;
const REFUSED = /DatabaseError|Code: \d+\./;

/** Killed if one test fails for a reason other than refusal or time-out. */
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
