import type { HealthCheck } from "./spec.ts";

/** With the image's shell: a client every few seconds would cost more than the idle service. */
export const httpHealthCheck = (port: number, path: string, line: string): string[] => [
  "CMD",
  "bash",
  "-c",
  `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET ${path} HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q '${line}' <&3`,
];

/** The path exists, whatever its content. */
export const IS_OK = "^HTTP/1.[01] 200";

export const QUICK_START = { everySeconds: 3, timeoutSeconds: 5, patienceSeconds: 60 };

export const wgetHealthCheck = (
  port: number,
  path: string,
  times: Omit<HealthCheck, "test"> = QUICK_START,
): HealthCheck => ({
  test: ["CMD", "wget", "-q", "-O", "/dev/null", `http://127.0.0.1:${port}${path}`],
  ...times,
});
