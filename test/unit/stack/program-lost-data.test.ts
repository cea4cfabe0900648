import { expect, test } from "vitest";
import { recordProgram } from "./record.ts";

test("a program without a volume whose data cannot be made again is refused, also by plain pulumi", async () => {
  process.env.STORED_VOLUMES = "event-pipeline-dev-kafka-data\nevent-pipeline-dev-clickhouse-data";
  const kafka = { mode: "external", bootstrap: "b.example:1", security: { tls: false } };
  await expect(recordProgram("dev", { kafka })).rejects.toThrow(
    "This change would delete the data in event-pipeline-dev-kafka-data\n",
  );
});
