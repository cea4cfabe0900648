import { expect, test } from "vitest";
import { IMAGES } from "../../../components/config.ts";
import { isExactImage, readImageLock, withDigest } from "../../../components/shared/image-lock.ts";

test.each([
  ...Object.values(IMAGES).map((image): [string, boolean] => [image, true]),
  ["registry.example:5000/a/b:1.2", true],
  [`a/b@sha256:${"0".repeat(64)}`, true],
  ["a/b:nightly-20260801", true],
  ["a/b", false],
  ["a/b:latest", false],
  ["registry.example:5000/a/b", false],
])("the tag of %s cannot move: %s", (image, exact) => expect(isExactImage(image)).toBe(exact));

test("the lock adds digests to official images, and to no other tag", () => {
  const digest = `sha256:${"0".repeat(64)}`;
  const locked = withDigest(IMAGES.kafka, { [IMAGES.kafka]: digest });
  expect(locked).toBe(`${IMAGES.kafka}@${digest}`);
  expect(isExactImage(locked)).toBe(true);
  expect(withDigest(IMAGES.kafka, { "apache/kafka:1.0": digest })).toBe(IMAGES.kafka);
  const official: readonly string[] = Object.values(IMAGES);
  expect(official).toEqual(expect.arrayContaining(Object.keys(readImageLock())));
});
