import type { HealthCheck } from "./spec.ts";

/** Health check in the image's shell, because a client would use more CPU than the idle service. */
export const httpHealthCheck = (port: number, path: string, line: string): string[] => [
  "CMD",
  "bash",
  "-c",
  `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET ${path} HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q '${line}' <&3`,
];

/** Pattern of the status line of a successful response. */
export const HTTP_200_PATTERN = "^HTTP/1.[01] 200";

export const QUICK_START = { everySeconds: 3, timeoutSeconds: 5, unhealthyAfterSeconds: 60 };

export const wgetHealthCheck = (
  port: number,
  path: string,
  times: Omit<HealthCheck, "test"> = QUICK_START,
): HealthCheck => ({
  test: ["CMD", "wget", "-q", "-O", "/dev/null", `http://127.0.0.1:${port}${path}`],
  ...times,
});
