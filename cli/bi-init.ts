import { type Command, Option } from "commander";
import { UserError } from "../contract/errors.ts";
import type { MartsAddress } from "../superset/bundle.ts";
import { initBi } from "../superset/import/init.ts";
import { type BiOutcome, remarks, requireChartsToLoad } from "../superset/import/outcome.ts";
import { formatSeconds, renderTable } from "../terminal/format.ts";
import { printJson, printLine } from "../terminal/print.ts";
import { startProgress } from "../terminal/progress.ts";
import {
  type DatabaseOption,
  databaseOption,
  jsonOption,
  wholeNumber,
  withDatabase,
} from "./options.ts";

interface BiInitOptions extends DatabaseOption {
  readonly superset: string;
  readonly user: string;
  readonly marts?: string;
  readonly martsUser: string;
  readonly wait: number;
}

export function registerBiInit(program: Command): void {
  program
    .command("bi-init")
    .description("Create or repair Superset's connection, datasets, charts and dashboard")
    .addOption(databaseOption())
    .addOption(
      new Option("--superset <url>", "address of Superset")
        .env("SUPERSET_URL")
        .default("http://localhost:8088"),
    )
    .addOption(
      new Option("--user <name>", "administrator of Superset")
        .env("SUPERSET_USER")
        .default("admin"),
    )
    .addOption(
      new Option("--marts <url>", "ClickHouse address for Superset; default: --database").env(
        "BI_DATABASE_URL",
      ),
    )
    .addOption(
      new Option("--marts-user <name>", "ClickHouse user that can read dm")
        .env("BI_DATABASE_USER")
        .default("default"),
    )
    .option("--wait <seconds>", "how long to wait for Superset", wholeNumber(0), 120)
    .addOption(jsonOption())
    .addHelpText(
      "after",
      "\nSUPERSET_PASSWORD is the password of --user, BI_DATABASE_PASSWORD of --marts-user.",
    )
    .action(biInit);
}

async function biInit(options: BiInitOptions): Promise<void> {
  const progress = startProgress("BI");
  try {
    const outcome = await withDatabase(options, (db) =>
      initBi(
        db,
        {
          superset: {
            url: options.superset.replace(/\/+$/, ""),
            user: options.user,
            password: process.env.SUPERSET_PASSWORD ?? "",
          },
          marts: addressOf(options.marts ?? options.database, options.martsUser),
          martsPassword: process.env.BI_DATABASE_PASSWORD ?? "",
          waitSeconds: options.wait,
        },
        progress,
      ),
    );
    progress.done(`${outcome.charts.length} charts`);
    report(outcome, options.json === true);
  } finally {
    progress.stop();
  }
}

/** Returns the marts' address. @throws UserError for a data directory: Superset needs HTTP */
function addressOf(url: string, user: string): MartsAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new UserError(
      `--marts ${url} is not valid. Allowed: http(s)://host:port`,
      "run `pipeline serve` to serve a workspace over HTTP",
    );
  }
  const isSecure = parsed.protocol === "https:";
  return {
    host: parsed.hostname,
    port: Number(parsed.port || (isSecure ? 8443 : 8123)),
    isSecure,
    user,
  };
}

function report(outcome: BiOutcome, asJson: boolean): void {
  const charts = outcome.charts.map(({ chart, rows, seconds, error }) => ({
    chart: chart.title,
    rows,
    seconds,
    error,
  }));
  if (asJson) printJson({ ...outcome, charts });
  else {
    const lines = charts.map((c) => [c.chart, c.rows, formatSeconds(c.seconds), c.error ?? ""]);
    printLine(renderTable(["chart", "rows", "query time", ""], lines));
  }
  requireChartsToLoad(outcome);
  if (asJson) return;
  for (const line of remarks(outcome)) printLine(line);
}
