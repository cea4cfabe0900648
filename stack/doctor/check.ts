import type { StackConfig } from "../../components/config.ts";
import { UserError } from "../../contract/errors.ts";

export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly hint?: string;
}

export interface DoctorContext {
  readonly stack: string;
  readonly config: StackConfig;
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

/** Runs a check; an unreachable engine becomes a finding and does not hide other findings. */
export async function attempt(check: string, ask: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [fail(check, error.message, error.hint ?? "run make doctor")];
  }
}
