import type * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { UserError } from "../../contract/errors.ts";
import { JOBS } from "../../dashboards/promql.ts";
import type { KafkaConnection } from "../kafka/connection.ts";
import { builtImage } from "../shared/built-image.ts";
import { pipelineOutput } from "../shared/commands.ts";
import { httpHealth } from "../shared/health.ts";
import type { Network } from "../shared/network.ts";
import type { Page } from "../shared/page.ts";
import { programError } from "../shared/program-error.ts";
import type { ScrapeJob } from "../shared/scrape.ts";
import { ownSecret, type SecretOutputs } from "../shared/secrets.ts";
import { mountOf, SECRET_FILES, Service } from "../shared/service.ts";
import type { Use } from "../shared/use.ts";
import type { GeneratorSettings } from "./config.ts";
import { generatorSettings } from "./settings.ts";

const PORT = 9109;
const DATA = "/data";
const TOKEN_FILE = `${SECRET_FILES}/control-token`;

export interface GeneratorArgs extends Omit<GeneratorSettings, "enabled"> {
  readonly network: Network;
  /** Volume of the stored batches and their state. */
  readonly data: docker.Volume;
  /** Kafka with all topics. */
  readonly kafka: KafkaConnection;
  /** True to publish; otherwise the generator is in standby and reports its status. */
  readonly enabled: boolean;
  /** Variables that override the settings for this run. */
  readonly overrides: Readonly<Record<string, string>>;
  /** Token of the control endpoint. Default: generated. */
  readonly controlToken?: pulumi.Input<string> | undefined;
}

/** Answer of `generator check-settings --json`. */
interface SettingsCheck {
  readonly changes: readonly string[];
  readonly refusal?: string;
}

/** The generator of events. */
export class Generator extends pulumi.ComponentResource {
  /** Access of containers to status and control. */
  readonly use: Use;
  readonly client: Use;
  readonly page: Page;
  readonly scrape: readonly ScrapeJob[];
  readonly secrets: SecretOutputs;

  constructor(name: string, args: GeneratorArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Generator", name, {}, opts);
    const { network, kafka } = args;
    const settings = {
      ...generatorSettings({ ...args.settings, ...args.overrides }),
      GEN_ENABLED: String(args.enabled),
      GENERATOR_INSTANCE: network.names.stack,
    };
    const token = ownSecret(`${name}-control-token`, args.controlToken, this);
    const dockerfile = "images/pipeline/Dockerfile";
    const image = builtImage(name, { network, dockerfile, base: args.image }, this);
    const checked = this.#checkSettings(settings, kafka);
    const port = network.publish(PORT, args.port);
    const service = new Service(
      name,
      {
        ...args,
        // A refused change of the settings fails before the container is replaced. The check has
        // the password of Kafka, but its result has not.
        image: pulumi.all([image, pulumi.unsecret(checked)]).apply(([id]) => id),
        command: ["node", "generator/service/main.ts"],
        environment: {
          ...settings,
          CONTROL_TOKEN_FILE: TOKEN_FILE,
          GEN_DATA_DIR: DATA,
        },
        user: "1000:1000",
        ports: [port],
        mounts: [mountOf(args.data, DATA)],
        files: { [TOKEN_FILE]: token },
        health: httpHealth(PORT, "/healthz"),
        graceSeconds: 30,
        uses: [kafka.use],
      },
      { parent: this },
    );
    const url = network.url(port);
    const { use } = service;
    this.use = {
      environment: { GENERATOR_URL: `http://${name}:${PORT}`, CONTROL_TOKEN_FILE: TOKEN_FILE },
      files: { [TOKEN_FILE]: token },
      ...use,
    };
    this.client = { environment: { GENERATOR_URL: url, CONTROL_TOKEN: token }, ...use };
    this.page = { title: "Generator", url: `${url}/status` };
    const target = `${name}:${PORT}`;
    this.scrape = [{ job: JOBS.generator, target, use }];
    this.secrets = { controlToken: token };
    this.registerOutputs({ url: this.page.url });
  }

  /** Prints settings that apply from now on; fails if the stored data cannot go on with them. */
  #checkSettings(
    settings: Readonly<Record<string, string>>,
    kafka: KafkaConnection,
  ): pulumi.Output<string> {
    const uses = [{ environment: settings, ready: [] }, kafka.client];
    const run = { pipeline: ["generator check-settings --json"], timeoutSeconds: 60, uses };
    return pipelineOutput(run, this).apply((text) => {
      const { changes, refusal } = JSON.parse(text) as SettingsCheck;
      if (refusal) throw programError(new UserError(refusal));
      for (const change of changes) pulumi.log.info(`Generator: ${change}`, this);
      return text;
    });
  }
}
