import type * as command from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { LIVE_LOAD_SECONDS, LIVE_STEP_SECONDS } from "../../contract/schedule.ts";
import { pipelineCommand } from "../shared/commands.ts";
import type { Use } from "../shared/use.ts";

const WAIT = `--wait ${LIVE_STEP_SECONDS}`;
const BATCH_DAG = "etl_pipeline";
const LIVE_DAG = "etl_live";

export interface LiveArgs {
  readonly mode: "live" | "bare";
  /** True if a generator writes a history. */
  readonly isGenerated: boolean;
  /** True if events come. */
  readonly isFed: boolean;
  /** Reaches Kafka and ClickHouse with all topics and tables, the generator and Airflow. */
  readonly uses: readonly (Use | undefined)[];
  /** Id of ClickHouse's data; another database is filled, too. */
  readonly dataId: pulumi.Output<string>;
  /** Id of the server with Airflow's metadata, such as paused DAGs; undefined without Airflow. */
  readonly metadataId: pulumi.Output<string> | undefined;
}

/** Live mode: history, first load and scheduled loads; in bare mode it only pauses the schedule. */
export class Live extends pulumi.ComponentResource {
  /** Says how long a load may be due. */
  readonly client: Use;

  constructor(name: string, args: LiveArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Live", name, {}, opts);
    const { mode, isGenerated, metadataId } = args;
    const isScheduled = mode === "live" && metadataId;
    const environment = isScheduled ? { LOAD_EVERY_SECONDS: String(LIVE_LOAD_SECONDS) } : {};
    this.client = { environment, ready: [] };
    const loaded = mode === "live" && isGenerated ? this.#fill(name, args) : undefined;
    const schedule = scheduleOf(args);
    if (schedule && metadataId) {
      this.#run(`${name}-schedule`, args, [schedule], [metadataId], loaded);
    }
  }

  #fill(name: string, args: LiveArgs): command.local.Command {
    // The load does not need a running generator, and another load may have paused it.
    const history = [`generator status ${WAIT} --accept-pause`, "stored"];
    const load = args.metadataId ? BY_DAG : ["transform --no-full-refresh"];
    const triggers = [args.dataId];
    const written = this.#run(`${name}-history`, args, history, triggers);
    return this.#run(`${name}-load`, args, load, triggers, written);
  }

  #run(
    name: string,
    args: LiveArgs,
    pipeline: readonly string[],
    triggers: readonly pulumi.Output<string>[],
    after?: pulumi.Resource,
  ): command.local.Command {
    // This timeout exceeds the command's own, so that the command reports first.
    const timeoutSeconds = LIVE_STEP_SECONDS + 60;
    const uses = [...args.uses, after && { ready: [after] }];
    const run = { pipeline, timeoutSeconds, uses, triggers };
    return pipelineCommand(name, { ...run, ...LONG_WORK }, this);
  }
}

const LONG_WORK = { showsOutput: true, ignoresNewClient: true };

// An operation on the generator leaves the DAG paused, which would block every load.
const BY_DAG = [
  `dag unpause ${BATCH_DAG}`,
  `dag run ${BATCH_DAG} --param full_refresh=false ${WAIT}`,
];

/** Command of the schedule; undefined while nothing is published, so that it stays as it is. */
function scheduleOf({ mode, isFed }: LiveArgs): string | undefined {
  if (mode === "bare") return `dag pause ${LIVE_DAG}`;
  return isFed ? `dag unpause ${LIVE_DAG}` : undefined;
}
