import { expect, test } from "vitest";
import { officialImages } from "../../../components/config.ts";
import { isExactImage, readImageLock, withDigest } from "../../../components/shared/image-lock.ts";

test.each([
  ...[...officialImages.values()].map((image): [string, boolean] => [image, true]),
  ["registry.example:5000/a/b:1.2", true],
  [`a/b@sha256:${"0".repeat(64)}`, true],
  ["a/b:nightly-20260801", true],
  ["a/b", false],
  ["a/b:latest", false],
  ["a/b:latest-1", false],
  ["a/b1:stable-alpine", false],
  ["registry.example:5000/a/b", false],
])("the tag of %s cannot move: %s", (image, exact) => expect(isExactImage(image)).toBe(exact));

test("the lock adds digests to official images, and to no other tag", () => {
  const digest = `sha256:${"0".repeat(64)}`;
  const kafka = officialImages.get("kafka.image") ?? "";
  const locked = withDigest(kafka, { [kafka]: digest });
  expect(locked).toBe(`${kafka}@${digest}`);
  expect(isExactImage(locked)).toBe(true);
  expect(withDigest(kafka, { "apache/kafka:1.0": digest })).toBe(kafka);
  const official = [...officialImages.values()];
  expect(official).toEqual(expect.arrayContaining(Object.keys(readImageLock())));
});
