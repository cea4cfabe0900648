/** The file of scores: one line of JSON for each start and each check of an exercise. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import type { Lab } from "./lab.ts";

const scoreSchema = z.object({
  at: z.string(),
  /** Seed of the learner's data; null for the data that everybody has. */
  seed: z.string().nullable(),
  lab: z.int(),
  title: z.string(),
  verdict: z.string(),
});

const scoresOf = (directory: string): string => `${directory}-scores.jsonl`;

/** Returns the seed of the learner's data. @throws if somebody changed the last line */
export function learnerSeed(directory: string): string | undefined {
  const file = scoresOf(directory);
  if (!existsSync(file)) return undefined;
  const [last] = readFileSync(file, "utf8").trimEnd().split("\n").slice(-1);
  return scoreSchema.parse(JSON.parse(last ?? "")).seed ?? undefined;
}

export function addScore(
  directory: string,
  { number, title }: Lab,
  verdict: string,
  seed: string | undefined,
): void {
  const at = new Date().toISOString();
  const score: z.infer<typeof scoreSchema> = {
    at,
    seed: seed ?? null,
    lab: number,
    title,
    verdict,
  };
  appendFileSync(scoresOf(directory), `${JSON.stringify(score)}\n`);
}
