/**
 * Writes components/shared/images.lock.json: the registry digest of every official image.
 * Pulls about 8 GB; needs Docker and access to a container registry.
 * node scripts/lock-images.ts
 */
import { writeFileSync } from "node:fs";
import { officialImages } from "../components/config.ts";
import { IMAGE_LOCK } from "../components/shared/image-lock.ts";
import { reportFailure } from "../terminal/failure.ts";
import { lockImages } from "./image-digests.ts";

try {
  const lock = await lockImages([...new Set(officialImages.values())], (line) =>
    process.stdout.write(`${line}\n`),
  );
  writeFileSync(IMAGE_LOCK, `${JSON.stringify(lock, null, 2)}\n`);
} catch (error) {
  process.exitCode = reportFailure(error);
}
