#!/usr/bin/env node
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UserError } from "../../contract/errors.ts";
import { reportFailure } from "../../terminal/failure.ts";
import { imageLabel, run } from "./docker.ts";
import { HERE, type Recipe, recipeDigest } from "./recipe.ts";
import { RECIPE_NAMES, type RecipeName, recipes } from "./recipes.ts";

/** Label of an image: the digest of its recipe. */
const RECIPE_LABEL = "event-pipeline.recipe";

/** Builds the named images and their bases, except unchanged ones. */
function build(wanted: readonly string[]): void {
  const names = withBases(wanted.length > 0 ? wanted.map(knownName) : RECIPE_NAMES);
  const digests = new Map<string, string>();
  for (const name of names) {
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

function knownName(name: string): RecipeName {
  const known = RECIPE_NAMES.find((candidate) => candidate === name);
  if (known) return known;
  throw new UserError(
    `The offline image "${name}" is unknown. Allowed: ${RECIPE_NAMES.join(", ")}`,
    "run make offline-images to build all images",
  );
}

function withBases(names: readonly RecipeName[]): RecipeName[] {
  const needed = new Set<string>(names.flatMap(chain));
  return RECIPE_NAMES.filter((name) => needed.has(name));
}

function chain(name: RecipeName): RecipeName[] {
  const { base }: Recipe = recipes[name];
  return base ? [name, ...chain(knownName(base))] : [name];
}

function buildOne(recipe: Recipe, digest: string): void {
  const context = mkdtempSync(join(tmpdir(), "offline-image-"));
  try {
    cpSync(join(HERE, recipe.folder), context, { recursive: true });
    recipe.prepare(context);
    const base = recipe.base ? recipes[knownName(recipe.base)].tag : "scratch";
    run("docker", [
      ...["build", "--quiet", "--network", "host"],
      ...["--build-arg", `BASE=${base}`, "--label", `${RECIPE_LABEL}=${digest}`],
      ...["--tag", recipe.tag, context],
    ]);
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}

try {
  build(process.argv.slice(2));
} catch (error) {
  process.exitCode = reportFailure(error);
}
