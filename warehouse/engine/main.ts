/**
 * Runs the engine of a workspace until its last client, the starting process or the workspace has
 * gone, or a signal arrives. The argument is a `Launch` as JSON.
 */
import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { writePrivate } from "../../contract/files.ts";
import { isRunning } from "../../terminal/process.ts";
import { READER, serverConfiguration, toXml, WRITER, workspaceUsers } from "./configuration.ts";
import { startControl } from "./control.ts";
import { endNow } from "./library.ts";
import { pageRules } from "./page/rules.ts";
import { engineFolder, type Launch, passwordHash, removeRecord, writeRecord } from "./record.ts";
import { endServer, runServer } from "./run.ts";
import { lastWorkspaceFile, snapshotsRoot } from "./workspace.ts";

const { directory, library, httpPort, tcpPort } = JSON.parse(process.argv[2] ?? "") as Launch;
const folder = engineFolder(directory);
/** Time to end in order, ms. */
const GRACE = 2_000;
/** Time until the end of the workspace is noticed, ms. */
const LOOK_EVERY = 500;

let isStopping = false;
const control = await startControl({ onIdle: stop });
process.once("disconnect", () => control.hasClients() || stop());
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, stop);
// An orderly end would write to another workspace that has taken the place of a deleted one.
const own = inodeOf(folder);
setInterval(() => inodeOf(folder) === own || void endNow(), LOOK_EVERY).unref();

removeStaleConfigurations();
const file = join(folder, `config-${process.pid}.xml`);
const configuration = {
  ...serverConfiguration({
    control: control.url,
    host: "127.0.0.1",
    httpPort,
    tcpPort,
    log: join(folder, "errors.log"),
    snapshots: snapshotsRoot(),
    pageRules: pageRules({
      name: basename(directory),
      userFiles: folder,
      workspace: { directory, last: lastWorkspaceFile() },
    }),
  }),
  ...workspaceUsers({
    reader: passwordHash(directory, READER),
    writer: passwordHash(directory, WRITER),
  }),
  users_config: file,
};
writePrivate(file, toXml(configuration));
const { ports, ended } = await runServer({ library, directory, configuration: file }, control);
rmSync(file);
if (ports && !isStopping) {
  writeRecord(directory, { ...ports, pid: process.pid, control: control.url });
  process.send?.("ready");
}
await ended;
process.exit(ports ? 0 : 1);

/** Returns the number of a folder; no other one can have that of the current folder. */
function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** Removes configurations of launchers that were killed during their start. */
function removeStaleConfigurations(): void {
  for (const name of readdirSync(folder)) {
    const pid = /^config-(\d+)[.]xml$/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

function stop(): void {
  isStopping = true;
  removeRecord(directory);
  endServer(control, GRACE);
}
