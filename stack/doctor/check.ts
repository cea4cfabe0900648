export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly hint?: string;
}

export const ok = (check: string, detail: string): Finding => ({ check, status: "ok", detail });

const problem =
  (status: "warn" | "fail") =>
  (check: string, detail: string, hint: string): Finding => ({ check, status, detail, hint });

export const warn = problem("warn");
export const fail = problem("fail");
