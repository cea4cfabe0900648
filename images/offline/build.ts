#!/usr/bin/env node
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UserError } from "../../contract/errors.ts";
import { reportFailure } from "../../terminal/failure.ts";
import { imageLabel, run } from "./docker.ts";
import { HERE, type Recipe, recipeDigest } from "./recipe.ts";
import { RECIPE_NAMES, recipes } from "./recipes.ts";

/** Label of an image: the digest of its recipe. */
const RECIPE_LABEL = "event-pipeline.recipe";

/** Builds all images, except unchanged ones. */
function build(): void {
  const digests = new Map<string, string>();
  for (const name of RECIPE_NAMES) {
    const recipe: Recipe = recipes[name];
    const digest = recipeDigest(recipe, digests.get(recipe.base ?? "") ?? "");
    digests.set(name, digest);
    const fresh = imageLabel(recipe.tag, RECIPE_LABEL) === digest;
    process.stdout.write(
      `${fresh ? "unchanged" : "building "}  ${recipe.tag}  ${recipe.differs}\n`,
    );
    if (!fresh) buildOne(recipe, digest);
  }
}

function baseOf(recipe: Recipe): string {
  if (recipe.base === null) return "scratch";
  const name = RECIPE_NAMES.find((candidate) => candidate === recipe.base);
  if (name) return recipes[name].tag;
  throw new Error(
    `The base "${recipe.base}" of ${recipe.tag} is unknown. Allowed: ${RECIPE_NAMES.join(", ")}`,
  );
}

function buildOne(recipe: Recipe, digest: string): void {
  const context = mkdtempSync(join(tmpdir(), "offline-image-"));
  try {
    cpSync(join(HERE, recipe.folder), context, { recursive: true });
    recipe.prepare(context);
    run("docker", [
      ...["build", "--quiet", "--network", "host"],
      ...["--build-arg", `BASE=${baseOf(recipe)}`, "--label", `${RECIPE_LABEL}=${digest}`],
      ...["--tag", recipe.tag, context],
    ]);
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}

function refuseArguments([argument]: readonly string[]): void {
  if (argument === undefined) return;
  throw new UserError(
    `The argument "${argument}" is not allowed: this program builds all offline images, and skips unchanged ones`,
    "run make offline-images",
  );
}

try {
  refuseArguments(process.argv.slice(2));
  build();
} catch (error) {
  process.exitCode = reportFailure(error);
}
