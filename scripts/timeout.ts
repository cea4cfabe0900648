/**
 * Runs a command with a time limit, like GNU `timeout`. Exits with the command's code, or 124
 * after the limit.
 * node scripts/timeout.ts SECONDS COMMAND ARGUMENT ...
 */
import { spawnSync } from "node:child_process";

const [seconds, command = "", ...args] = process.argv.slice(2);
const { status, error } = spawnSync(command, args, {
  stdio: "inherit",
  timeout: Number(seconds) * 1000,
});
const isLate = (error as NodeJS.ErrnoException | undefined)?.code === "ETIMEDOUT";
if (isLate) console.error(`error: ${command} ${args.join(" ")} took longer than ${seconds} s`);
else if (error) console.error(`error: ${error.message}`);
process.exitCode = isLate ? 124 : (status ?? 1);
