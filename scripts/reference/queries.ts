import { QUESTION_FOLDER, QUESTIONS } from "../../warehouse/engine/page/questions.ts";
import { tableText } from "./table.ts";

/** Every question of the SQL page, with a link to its statement. */
export const queriesPage = (): string =>
  [
    "# Queries to start from",
    `\`make play\` opens the SQL page, where a click runs each of these. To run one in a terminal, give its file: \`./pipeline query ${QUESTION_FOLDER}/01-days.sql\`. A query counts all sites; add \`WHERE site = '…'\` for one. [Tables](tables.md) explains every column.`,
    tableText({
      head: ["question", "answer"],
      rows: QUESTIONS.map(({ title, about, file }) => [
        `[${title}](../../${QUESTION_FOLDER}/${file})`,
        about,
      ]),
    }),
  ].join("\n\n");
