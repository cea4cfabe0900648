import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { UserError } from "../../../contract/errors.ts";
import { errorsOf, parsePreview } from "../preview.ts";
import { type FileMeaning, meaningOfFiles, parseNameStatus } from "./files.ts";
import { renderReport } from "./markdown.ts";

/** `pipeline preview-report`: the comment a workflow puts on a pull request. */
export function registerPreviewReport(program: Command): void {
  program
    .command("preview-report")
    .argument("<preview.json>", "what `pulumi preview --json` printed")
    .option("--files <list>", "what `git diff --name-status BASE...HEAD` printed")
    .option("--files-url <url>", "where the change's files can be seen; shows pictures from there")
    .description("Say in Markdown what a change does to a running stack")
    .action((file: string, { files, filesUrl }: { files?: string; filesUrl?: string }) => {
      const changed = files ? parseNameStatus(readFileSync(files, "utf8")) : [];
      const meaning = meaningOfFiles(changed);
      process.stdout.write(reportOn(readFileSync(file, "utf8"), meaning, filesUrl));
    });
}

function reportOn(text: string, files: FileMeaning, filesUrl: string | undefined): string {
  const preview = parsePreview(text);
  const errors = errorsOf(preview);
  if (errors.length > 0) {
    throw new UserError(
      `The preview failed:\n${errors.join("\n")}`,
      "correct it, then make preview",
    );
  }
  return renderReport(preview, files, filesUrl);
}
