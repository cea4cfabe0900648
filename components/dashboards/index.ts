import * as pulumi from "@pulumi/pulumi";
import { engineOnChange, runOnUpdate } from "../resources/pipeline-command.ts";
import type { Secrets } from "../resources/secret.ts";
import { Service, type StackContext } from "../resources/service.ts";
import { type Client, clientOf, stackCommand } from "../resources/stack-command.ts";
import { SECRETS_ROLE } from "../shared/secret-files.ts";
import { dashboardsLibrary } from "./config.ts";
import { deliverContent } from "./content.ts";
import { type DashboardsPlan, PROVISIONING_ROLE } from "./spec.ts";

export interface DashboardsArgs {
  readonly plan: DashboardsPlan;
  readonly context: StackContext;
  readonly secrets: Secrets<"adminPassword">;
  readonly metricsClient: Client;
  readonly dependsOn: readonly pulumi.Resource[];
}

/** Grafana with its dashboards and alerts; the data source is a provisioned file. */
export class Dashboards extends pulumi.ComponentResource {
  readonly url: string;

  constructor(name: string, args: DashboardsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:monitoring:Dashboards", name, {}, opts);
    const { plan, context, dependsOn } = args;
    const webhook = context.configured.get("alertWebhook");
    const secrets = { ...args.secrets, ...(webhook ? { alertWebhook: webhook } : {}) };
    const service = new Service(
      name,
      { plan: plan.service, context, dependsOn, secrets },
      { parent: this },
    );
    const administrator = this.#setPassword(`${name}-administrator`, plan, service);
    this.#reloadOnChange(`${name}-reload`, args, service, administrator);
    const password = args.secrets.adminPassword;
    const library = service.volume(dashboardsLibrary.role);
    deliverContent(name, { plan, password, secrets, service, administrator, library }, this);
    this.url = plan.address.url;
    this.registerOutputs({ url: this.url });
  }

  /** Sets the password, because Grafana's database keeps the first one. Needs no previous password. */
  #setPassword(name: string, plan: DashboardsPlan, service: Service) {
    const run = { docker: ["exec", ...plan.setPassword], timeoutSeconds: 60 };
    const triggers = [service.containerId, service.filesVersion(SECRETS_ROLE)];
    return engineOnChange(name, run, triggers, { parent: this });
  }

  #reloadOnChange(
    name: string,
    { plan: { client }, metricsClient, secrets }: DashboardsArgs,
    service: Service,
    administrator: pulumi.Resource,
  ): void {
    runOnUpdate(
      name,
      stackCommand(["monitoring reload --only dashboards"], 60, [
        metricsClient,
        clientOf(client, secrets),
      ]),
      service.filesVersion(PROVISIONING_ROLE),
      { parent: this, dependsOn: [service, administrator] },
    );
  }
}
