/** Result of a check; `skipped` means not decidable, for the stated reason. */
type CheckStatus = "ok" | "failed" | "skipped";

export interface CheckResult {
  readonly id: string;
  readonly status: CheckStatus;
  readonly detail: string;
  /** Next step after a failure, if it is not the usual one. */
  readonly hint?: string;
}

export const verdict = (id: string, holds: boolean, detail: string): CheckResult => ({
  id,
  status: holds ? "ok" : "failed",
  detail,
});

export const skipped = (id: string, reason: string): CheckResult => ({
  id,
  status: "skipped",
  detail: reason,
});

export const count = (value: number): string => value.toLocaleString("en-US");
