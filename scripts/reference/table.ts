export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export const code = (value: unknown): string => {
  const text = String(value ?? "");
  return text === "" ? "" : `\`${text}\``;
};

const line = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;

/** @throws Error if a row and the head differ in length */
export function tableText({ head, rows }: Table): string {
  const wrong = rows.find((row) => row.length !== head.length);
  if (wrong)
    throw new Error(`${head.join(", ")}: the row of ${wrong[0]} has ${wrong.length} cells`);
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}
