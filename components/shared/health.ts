import type { HealthCheck } from "./spec.ts";

/**
 * Command of a health check: asks a path of the container's own port and looks for a line in the
 * answer (`grep`'s pattern). It uses the image's shell, because a client every few seconds would cost
 * more than the service idles.
 */
export const httpHealthCheck = (port: number, path: string, line: string): string[] => [
  "CMD",
  "bash",
  "-c",
  `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET ${path} HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q '${line}' <&3`,
];

/** The path exists, whatever it shows. */
export const IS_OK = "^HTTP/1.[01] 200";

/** For a small service that answers as soon as it works. */
export const QUICK_START = { everySeconds: 3, timeoutSeconds: 5, patienceSeconds: 60 };

/** Health check of such a service with the HTTP client of its image. */
export const wgetHealthCheck = (port: number, path: string): HealthCheck => ({
  test: ["CMD", "wget", "-q", "-O", "/dev/null", `http://127.0.0.1:${port}${path}`],
  ...QUICK_START,
});
