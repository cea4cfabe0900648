import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { UserError } from "../../../contract/errors.ts";
import { errorsOf, parsePreview } from "../preview.ts";
import { meaningOfFiles, parseNameStatus } from "./files.ts";
import { renderReport } from "./markdown.ts";

/** `pipeline preview-report`: the comment a workflow puts on a pull request. */
export function registerPreviewReport(program: Command): void {
  program
    .command("preview-report")
    .argument("<preview.json>", "what `pulumi preview --json` printed")
    .option("--files <list>", "what `git diff --name-status BASE...HEAD` printed")
    .description("Say in Markdown what a change does to a running stack")
    .action((file: string, { files }: { files?: string }) => {
      const changed = files ? parseNameStatus(readFileSync(files, "utf8")) : [];
      process.stdout.write(reportOn(readFileSync(file, "utf8"), meaningOfFiles(changed)));
    });
}

function reportOn(text: string, files: ReturnType<typeof meaningOfFiles>): string {
  const preview = parsePreview(text);
  const errors = errorsOf(preview);
  if (errors.length > 0) throw new UserError(`The preview failed:\n${errors.join("\n")}`);
  return renderReport(preview, files);
}
