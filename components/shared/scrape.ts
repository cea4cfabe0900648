import type * as pulumi from "@pulumi/pulumi";
import type { Use } from "./use.ts";

/** Scrape job of Prometheus; dashboards and rules select it by name. */
export interface ScrapeJob {
  readonly job: string;
  /** Host and port inside the stack's network. */
  readonly target: string;
  /** What has to be ready before the target answers. */
  readonly use: Use;
  /** Further settings of the job. Default: none. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Default: none. */
  readonly login?: { readonly user: string; readonly password: pulumi.Output<string> };
}
