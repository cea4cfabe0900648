import type { StackPlan } from "../../components/services.ts";
import { UserError } from "../../contract/errors.ts";

/** One finding. Everything but `ok` says what fixes it. */
export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly hint?: string;
}

/** What the checks look at. */
export interface Patient {
  readonly stack: string;
  readonly plan: StackPlan;
}

export const ok = (check: string, detail: string): Finding => ({ check, status: "ok", detail });

export const warn = (check: string, detail: string, hint: string): Finding => ({
  check,
  status: "warn",
  detail,
  hint,
});

export const fail = (check: string, detail: string, hint: string): Finding => ({
  check,
  status: "fail",
  detail,
  hint,
});

/**
 * What a question has found. One that cannot be asked, because the container engine refuses, is a
 * finding itself: it must not hide what the others have found.
 */
export async function attempt(check: string, ask: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [fail(check, error.message, error.hint ?? "make doctor")];
  }
}
