import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

export const OFFLINE_IMAGES = "event-pipeline/offline/";

/** True for an image of `make offline-images`. */
export const isOffline = (image: string): boolean => image.startsWith(OFFLINE_IMAGES);

/** File with the digests of the official images; `make lock-images` writes it. */
export const IMAGE_LOCK = join(import.meta.dirname, "images.lock.json");

const lockSchema = z.record(z.string(), z.string().regex(/^sha256:[0-9a-f]{64}$/));

export type ImageLock = z.infer<typeof lockSchema>;

export const readImageLock = (): ImageLock =>
  lockSchema.parse(JSON.parse(readFileSync(IMAGE_LOCK, "utf8")));

/** Adds the digest to an image, because a tag can move. */
export const withDigest = (image: string, lock: ImageLock = readImageLock()): string =>
  lock[image] ? `${image}@${lock[image]}` : image;

export const IMAGE_FORM =
  "name:tag with an exact tag (with a version, so neither latest nor stable), or name@sha256:digest";

const DIGEST = /@sha256:[0-9a-f]{64}$/;
/** A tag without a digit, such as `main`, moves; so does `latest-1`. */
const EXACT_TAG = /^[a-z0-9][a-z0-9._/:-]*:(?!latest)(?=\D*\d)\w[\w.-]*$/;

export const isExactImage = (image: string): boolean => DIGEST.test(image) || EXACT_TAG.test(image);
