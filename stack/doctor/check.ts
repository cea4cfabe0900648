import type { StackPlan } from "../../components/services.ts";
import { UserError } from "../../contract/errors.ts";

export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly hint?: string;
}

export interface DoctorContext {
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

/** An unreachable engine becomes a finding, so that it does not hide others. */
export async function attempt(check: string, ask: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [fail(check, error.message, error.hint ?? "make doctor")];
  }
}
