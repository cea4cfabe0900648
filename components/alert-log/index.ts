import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { AlertReceiver } from "../grafana/index.ts";
import { httpHealth } from "../shared/health.ts";
import type { Network } from "../shared/network.ts";
import { Service } from "../shared/service.ts";
import { ROOT } from "../shared/state.ts";
import type { AlertLogSettings } from "./config.ts";

const PORT = 8090;
const SOURCE = "dashboards/delivery/alert-log.mjs";
const PROGRAM = "/opt/event-pipeline/alert-log.mjs";

interface AlertLogArgs extends AlertLogSettings {
  readonly network: Network;
  /** Address that receives the alerts instead. Default: none. */
  readonly webhook?: pulumi.Input<string> | undefined;
}

/** Returns the webhook, or a service that logs alerts. @param opts of the service */
export const alertReceiverOf = (
  name: string,
  args: AlertLogArgs,
  opts?: pulumi.ComponentResourceOptions,
): AlertReceiver =>
  args.webhook
    ? { url: args.webhook, use: { ready: [] } }
    : new AlertLog(name, args, opts).receiver;

class AlertLog extends pulumi.ComponentResource {
  readonly receiver: AlertReceiver;

  constructor(name: string, args: AlertLogArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:AlertLog", name, {}, opts);
    const service = new Service(
      name,
      {
        ...args,
        command: ["node", PROGRAM],
        user: "1000:1000",
        files: { [PROGRAM]: readFileSync(join(ROOT, SOURCE), "utf8") },
        health: httpHealth(PORT, "/healthz"),
        graceSeconds: 5,
      },
      { parent: this },
    );
    this.receiver = { url: `http://${name}:${PORT}/alerts`, use: service.use };
    this.registerOutputs({ url: this.receiver.url });
  }
}
