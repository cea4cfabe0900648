import type * as pulumi from "@pulumi/pulumi";
import type { Ready } from "./service.ts";

/** Scrape job of Prometheus; dashboards and rules select it by name. */
export interface ScrapeJob {
  readonly job: string;
  /** Host and port inside the stack's network. */
  readonly target: string;
  /** What has to be ready before the target answers. */
  readonly ready: readonly Ready[];
  /** Further settings of the job. Default: none. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Default: none. */
  readonly login?: { readonly user: string; readonly password: pulumi.Output<string> };
}
