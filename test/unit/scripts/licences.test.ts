import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { officialImages } from "../../../components/config.ts";
import { byLicence, lockedNames, npmLicences, PYTHON_LOCKS } from "../../../scripts/licences.ts";

const ROOT = join(import.meta.dirname, "../../..");
type Group = Readonly<Record<string, readonly string[]>>;
const list = parse(readFileSync(join(ROOT, "licences.yaml"), "utf8")) as {
  readonly npm: Group;
  readonly python: Group;
  readonly images: Group;
};

/** Licences that allow what the project does: install, link and run unchanged. */
const ALLOWED = new Set([
  ...["0BSD", "AGPL-3.0-only", "Apache-2.0", "Artistic-1.0-Perl", "BlueOak-1.0.0", "BSD-2-Clause"],
  ...["BSD-3-Clause", "CC-BY-3.0", "CC0-1.0", "ISC", "LGPL-2.1", "LGPL-3.0-only"],
  ...["LGPL-3.0-or-later", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "PostgreSQL"],
  ...["Python-2.0", "Unlicense", "any-OSI"],
]);

/** Returns whether one alternative of an expression of SPDX has only allowed licences. */
const isAllowed = (expression: string): boolean =>
  expression
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((one) => one.split(" AND ").every((licence) => ALLOWED.has(licence)));

test.each(["npm", "python", "images"] as const)("%s has only known licences", (group) => {
  expect(Object.keys(list[group]).filter((licence) => !isAllowed(licence))).toEqual([]);
});

test("an unknown licence is found, also beside a known one", () => {
  const found = ["MIT", "MIT OR GPL-2.0-only", "(MIT AND GPL-2.0-only)", "unknown"].map(isAllowed);
  expect(found).toEqual([true, true, false, false]);
});

test("the list has every package and image: npm run record-licences", () => {
  expect(list.npm).toEqual(byLicence(npmLicences()));
  const known = new Set(Object.values(list.python).flat());
  expect(PYTHON_LOCKS.flatMap(lockedNames).filter((name) => !known.has(name))).toEqual([]);
  const images = [...officialImages.values()].map((image) => image.split(":")[0]);
  expect(Object.values(list.images).flat().toSorted()).toEqual([...new Set(images)].toSorted());
});
