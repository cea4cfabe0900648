import { COMMAND_PAGES, shellBlocks } from "../../test/support/page-blocks.ts";
import { code, tableText } from "./table.ts";

/** Shell blocks of tutorial and how-to pages that no test runs. */
export const blocksByName = (): string =>
  tableText({
    head: ["page", "command", "why"],
    rows: COMMAND_PAGES.flatMap((page) =>
      shellBlocks(page, "name").map(({ code: text, reason = "" }) => [
        code(page),
        code(text),
        reason,
      ]),
    ),
  });
