export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly hint?: string;
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
