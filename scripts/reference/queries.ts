import { QUESTION_FOLDER, QUESTIONS } from "../../warehouse/engine/page/questions.ts";

/** Every question of the SQL page, with a link to its statement. */
export const queriesPage = (): string =>
  [
    "# Queries to start from",
    `The SQL page (\`make play\`) runs and explains these. In a terminal, give a file: \`./pipeline query ${QUESTION_FOLDER}/01-days.sql\`. Queries count all sites; add \`WHERE site = '…'\` for one. [Tables](tables.md) explains the columns.`,
    QUESTIONS.map(({ title, file }) => `- [${title}](../../${QUESTION_FOLDER}/${file})`).join("\n"),
  ].join("\n\n");
