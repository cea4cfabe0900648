import { defects } from "../../contract/defects.ts";
import { markers } from "../../contract/markers.ts";
import { STREAMS, streams } from "../../contract/streams.ts";
import { CONSUMER_GROUPS, HEADERS, topicSpecs } from "../../contract/topics.ts";
import { code, tableText } from "./table.ts";

const described = (head: string, of: Readonly<Record<string, string>>): string =>
  tableText({
    head: [head, "meaning"],
    rows: Object.entries(of).map(([name, meaning]) => [code(name), meaning]),
  });

export const topicsPage = (): string =>
  [
    "# Topics and messages",
    "## Topics",
    tableText({
      head: ["topic", "partitions", "settings"],
      rows: topicSpecs().map(({ name, partitions, configs }) => [
        code(name),
        String(partitions),
        Object.entries(configs)
          .map(([key, value]) => code(`${key}=${value}`))
          .join(" "),
      ]),
    }),
    `Headers of every message: ${Object.values(HEADERS).map(code).join(" and ")}. Consumer groups of ClickHouse: ${CONSUMER_GROUPS.map(code).join(", ")}.`,
    ...STREAMS.flatMap((stream) => [
      `## ${stream}: ${streams[stream].topic}`,
      tableText({
        head: ["field", "column in ods", "meaning"],
        rows: Object.entries(streams[stream].fields).map(([name, { column, description }]) => [
          code(name),
          code(column),
          description,
        ]),
      }),
    ]),
    "## Defects that the generator injects",
    described("defect", defects),
    "## Markers of the pipeline",
    described("marker", markers),
  ].join("\n\n");
