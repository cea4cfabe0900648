import { type Command, Option } from "commander";
import type { BrokerConnection } from "../contract/broker.ts";
import { callable } from "../contract/command-call.ts";
import { UserError } from "../contract/errors.ts";
import { topicSpecs } from "../contract/topics.ts";
import { liveInstances } from "../generator/operations/liveness.ts";
import { denialOf, waitForStartup } from "../kafka/client.ts";
import { missingRights } from "../kafka/rights.ts";
import { verifyTopics } from "../kafka/topics.ts";
import { printLine } from "../terminal/print.ts";
import type { Tier } from "../warehouse/ddl-files.ts";
import { defineBroker } from "../warehouse/epochs/named-collection.ts";
import { ensureTopics, resetTopics } from "../warehouse/epochs/topics.ts";
import type { OpenBroker } from "../warehouse/loader/over-broker.ts";
import { bootstrapOption, connectionTo, tierOption, wholeNumber, withBroker } from "./options.ts";

interface TopicsCommand {
  readonly bootstrap?: string;
  readonly verify?: true;
  readonly reset?: true;
  readonly all?: boolean;
  readonly force?: boolean;
  readonly tier: Tier;
  /** Maximum wait for the broker, seconds. */
  readonly wait?: number;
}

export function registerTopics(program: Command): void {
  program
    .command("topics")
    .description("Create the topics and correct their settings; idempotent")
    .addOption(bootstrapOption())
    .addOption(
      new Option("--verify", "compare with the declaration, change nothing").conflicts("reset"),
    )
    .option("--reset", "re-create the event topics in a new epoch; deletes their messages")
    .option("--all", "with --reset: also re-create the generator's history, state and manifest")
    .option("--force", "with --reset: allow a reset while a generator is live")
    .addOption(
      tierOption(
        "tier of the schema; with `service`, ClickHouse does not get the broker's address",
      ),
    )
    .option("--wait <seconds>", "how long to wait for a starting broker", wholeNumber(1, 3600))
    .addHelpText(
      "after",
      "\nIf CLICKHOUSE_URL is set, that database receives the epoch and the broker's address" +
        "\n(KAFKA_DATABASE_BOOTSTRAP_SERVERS, if it uses a different address).",
    )
    .action(async (options: TopicsCommand) => {
      const { bootstrap, wait } = options;
      if (wait !== undefined) await waitForStartup(connectionTo(bootstrap), wait);
      await withBroker(bootstrap, process.env.CLICKHOUSE_URL, (broker) => topics(broker, options));
    });
}

async function topics(broker: OpenBroker, options: TopicsCommand): Promise<void> {
  if (options.verify) return verify(broker);
  const { admin, connection, database } = broker;
  await requireRights(broker);
  const hasKafkaEngine = options.tier !== "service";
  if (database && hasKafkaEngine) await defineBroker(database, asSeenByDatabase(connection));
  const { created, altered, epoch } = options.reset
    ? await reset(broker, options)
    : await ensureTopics(admin, { database });
  printLine(`Topics ready: ${created.length} created, ${altered.length} altered, epoch ${epoch}.`);
}

/** Fails before any change, and for rights of which ClickHouse would report the lack only in its log. */
async function requireRights({ admin, connection }: OpenBroker): Promise<void> {
  const missing = (await missingRights(admin)).filter(
    // The right to create topics is known only when a topic is created.
    ({ isForReset, operation }) => !isForReset && operation !== "CREATE",
  );
  if (missing.length > 0) throw denialOf(connection, missing);
}

function reset({ admin, database }: OpenBroker, { all = false, force = false }: TopicsCommand) {
  if (!database) process.stderr.write(`${WITHOUT_DATABASE}\n`);
  return resetTopics(admin, {
    database,
    force,
    scope: all ? "all" : "events",
    reason: "pipeline topics --reset",
    isLive: async () => (await liveInstances(admin)).length > 0,
  });
}

const WITHOUT_DATABASE =
  "warning: CLICKHOUSE_URL is not set: the reset does not check that a database has stored the messages, and does not restart its readers.";

async function verify({ admin }: OpenBroker): Promise<void> {
  const differences = await verifyTopics(admin, topicSpecs());
  for (const { topic, what, hint } of differences)
    printLine(`${topic}: ${what}. hint: ${callable(hint)}`);
  if (differences.length === 0) return printLine("All topics are as declared.");
  throw new UserError(
    `${differences.length} differences between the topics and their declaration`,
    differences[0]?.hint,
  );
}

const asSeenByDatabase = (connection: BrokerConnection): BrokerConnection => {
  const servers = process.env.KAFKA_DATABASE_BOOTSTRAP_SERVERS;
  return servers ? { ...connection, bootstrap: servers.split(",") } : connection;
};
