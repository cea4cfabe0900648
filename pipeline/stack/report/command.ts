import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { UserError } from "../../../contract/errors.ts";
import { errorsOf, parsePreview } from "../preview.ts";
import { ROOT } from "../state.ts";
import { compareWithBase } from "./base.ts";
import { meaningOfFiles, parseNameStatus } from "./files.ts";
import { renderReport } from "./markdown.ts";

/** `pipeline preview-report`: the comment a workflow puts on a pull request. */
export function registerPreviewReport(program: Command): void {
  program
    .command("preview-report")
    .argument("<preview.json>", "what `pulumi preview --json` printed")
    .option("--files <list>", "what `git diff --name-status --no-renames BASE HEAD` printed")
    .option("--base <folder>", "a checkout of BASE: its declared stack and schema are compared")
    .option("--files-url <url>", "where the change's files can be seen; shows pictures from there")
    .description("Say in Markdown what a change does to a running stack")
    .action((file: string, options: Options) => {
      process.stdout.write(reportOn(readFileSync(file, "utf8"), options));
    });
}

interface Options {
  readonly files?: string;
  readonly base?: string;
  readonly filesUrl?: string;
}

function reportOn(text: string, { files: list, base, filesUrl }: Options): string {
  const preview = parsePreview(text);
  const errors = errorsOf(preview);
  if (errors.length > 0) {
    throw new UserError(
      `The preview failed:\n${errors.join("\n")}`,
      "correct it, then make preview",
    );
  }
  const files = meaningOfFiles(list ? parseNameStatus(readFileSync(list, "utf8")) : []);
  const comparison = base ? compareWithBase(base, ROOT, files) : undefined;
  return renderReport(preview, files, { filesUrl, comparison });
}
