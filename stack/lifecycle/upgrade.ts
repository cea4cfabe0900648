import type { StackConfig } from "../../components/config.ts";
import { withDigest } from "../../components/shared/image-lock.ts";
import { UserError } from "../../contract/errors.ts";
import { runOnStack } from "./client.ts";
import { serviceRows } from "./owned-resources.ts";
import type { Deployment } from "./recover.ts";

/**
 * Makes a snapshot if ClickHouse gets another image, because the earlier one may not read the data after it. One that
 * does not run, such as after a wrong image, is changed without a snapshot.
 * @throws UserError if that fails, before anything changes
 */
export async function snapshotBeforeUpgrade(
  stack: string,
  { resources, identity }: Deployment,
  { clickhouse }: StackConfig,
): Promise<void> {
  const recorded = resources.find(({ urn }) => urn.endsWith("::clickhouse-image"))?.inputs?.name;
  if (recorded === undefined || clickhouse.mode === "external") return;
  if (recorded === clickhouse.image || recorded === withDigest(clickhouse.image)) return;
  const change = `ClickHouse's image changes from ${recorded} to ${clickhouse.image}`;
  const rows = await serviceRows(identity, ["{{.Status}}"]);
  if (!rows.some(([name, status]) => name === "clickhouse" && status?.includes("(healthy)"))) {
    return console.error(`warning: ${change}, without a snapshot, because it does not run`);
  }
  console.error(`${change}.`);
  if ((await runOnStack(stack, ["snapshot"])) === 0) return;
  throw new UserError(
    "No snapshot could be made before ClickHouse's image changes, so nothing was changed",
    `correct what the snapshot reports; or run make down STACK=${stack} first, which allows the change without a snapshot`,
  );
}
