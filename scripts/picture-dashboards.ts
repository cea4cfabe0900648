/**
 * Draws each dashboard as one picture from a real Prometheus of a running pipeline, with the
 * installed Chromium. Takes ten minutes; has the requirements of the `monitoring` test level.
 * node scripts/picture-dashboards.ts [--folder docs/images] [--seconds 240] [--before 300]
 * `--before`: warm-up that fills five-minute windows, seconds.
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { UserError } from "../contract/errors.ts";
import { dashboardsFor } from "../dashboards/definitions/all.ts";
import { PICTURE_DIGESTS, pictureDigests } from "../dashboards/pictures/digest.ts";
import { writePictures } from "../dashboards/pictures/write.ts";
import { JOB_NAMES } from "../dashboards/promql.ts";
import { reportFailure } from "../terminal/failure.ts";
import { PICTURE_PACE, PICTURE_SETTINGS } from "../test/monitoring/settings.ts";
import { WatchedPipeline } from "../test/monitoring/watched.ts";
import { launchChromium } from "./chromium.ts";

/** Largest picture for the repository, bytes. */
const LIMIT = 300 * 1000;
const WIDTH = 1180;

interface Times {
  readonly seconds: number;
  readonly before: number;
}

const dashboards = dashboardsFor(new Set(JOB_NAMES));

async function draw(folder: string, { seconds, before }: Times): Promise<string[]> {
  const watched = await WatchedPipeline.open(PICTURE_PACE);
  try {
    await sleep(before * 1000);
    const from = Math.floor(Date.now() / 1000);
    await sleep(seconds * 800);
    // A second load, so that counters of loads show a step.
    await watched.system.transform();
    await sleep(seconds * 200);
    const span = { from, to: Math.floor(Date.now() / 1000), step: PICTURE_PACE.scrapeSeconds };
    return await writePictures(watched.prometheus.url, dashboards, folder, span);
  } finally {
    await watched.close();
  }
}

async function shoot(files: readonly string[], folder: string): Promise<void> {
  const browser = await launchChromium();
  try {
    for (const file of files) {
      const tab = await browser.newPage({ viewport: { width: WIDTH, height: 900 } });
      await tab.goto(pathToFileURL(file).href);
      const path = join(folder, basename(file).replace(/html$/, "png"));
      await tab.screenshot({ path, fullPage: true });
      await tab.close();
      reportSize(path);
    }
  } finally {
    await browser.close();
  }
}

function reportSize(path: string): void {
  const { size } = statSync(path);
  process.stdout.write(`${path}: ${Math.round(size / 1000)} kB\n`);
  if (size <= LIMIT) return;
  throw new UserError(
    `${path} has ${size} bytes. Allowed: ${LIMIT}`,
    "draw a shorter run: node scripts/picture-dashboards.ts --seconds 120",
  );
}

const work = mkdtempSync(join(tmpdir(), "dashboards-"));
try {
  const { values } = parseArgs({
    options: {
      folder: { type: "string", default: join(import.meta.dirname, "../docs/images") },
      seconds: { type: "string", default: "240" },
      before: { type: "string", default: "300" },
    },
  });
  const times = { seconds: Number(values.seconds), before: Number(values.before) };
  await shoot(await draw(work, times), values.folder);
  writeFileSync(
    join(values.folder, PICTURE_DIGESTS),
    `${JSON.stringify(pictureDigests(dashboards, PICTURE_SETTINGS), null, 2)}\n`,
  );
} catch (error) {
  process.exitCode = reportFailure(error);
} finally {
  rmSync(work, { recursive: true, force: true });
}
