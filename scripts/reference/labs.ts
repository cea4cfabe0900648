import { readLabs } from "../../labs/lab.ts";
import { tableText } from "./table.ts";

export const labsTable = (): string =>
  tableText({
    head: ["lab", "title", "to learn"],
    rows: readLabs().map(({ number, title, learn }) => [`${number}`, title, learn]),
  });
