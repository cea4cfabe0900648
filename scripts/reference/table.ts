export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export const code = (value: unknown): string =>
  value === undefined || value === null || value === "" ? "" : `\`${value}\``;

const line = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;

export const tableText = ({ head, rows }: Table): string =>
  [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
