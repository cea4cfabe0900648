import type { HealthCheck } from "../spec.ts";

/** The user `nobody` of the exporters' and Prometheus' own images. */
export const nobody = "65534:65534";

/** When a small service is asked that answers as soon as it works. */
export const SOON = { everySeconds: 3, timeoutSeconds: 5, patienceSeconds: 60 };

/** A page of such a service, asked with the client of its image. */
export const pageAnswers = (port: number, path: string): HealthCheck => ({
  test: ["CMD", "wget", "-q", "-O", "/dev/null", `http://127.0.0.1:${port}${path}`],
  ...SOON,
});
