import { UserError } from "../../contract/errors.ts";
import { DATABASE_FILE } from "../bundle.ts";
import { refusal, type SupersetClient } from "./client.ts";
import { zip } from "./zip.ts";

/** Imports in one transaction. @param password of the connection @throws UserError */
export async function importFiles(
  client: SupersetClient,
  files: ReadonlyMap<string, string>,
  password: string,
): Promise<void> {
  const inFolder = new Map([...files].map(([path, text]) => [`event-pipeline/${path}`, text]));
  const form = new FormData();
  form.set("bundle", new Blob([zip(inFolder)], { type: "application/zip" }), "event-pipeline.zip");
  form.set("passwords", JSON.stringify({ [DATABASE_FILE]: password }));
  // This allows charts on the dashboard that are in Superset but not in the bundle.
  form.set("sparse", "true");
  const answer = await client.ask("POST", "/api/v1/assets/import/", form);
  if (answer.status < 300) return;
  throw new UserError(
    `Superset refused the assets: ${refusal(answer.body)}`,
    "run make logs SERVICE=bi for the reason",
  );
}
