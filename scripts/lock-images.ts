/**
 * Writes components/shared/images.lock.json: the registry digest of every official image.
 * Pulls about 8 GB; needs Docker and access to a container registry.
 * node scripts/lock-images.ts
 */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { officialImages } from "../components/config.ts";
import { IMAGE_LOCK, type ImageLock } from "../components/shared/image-lock.ts";
import { UserError } from "../contract/errors.ts";
import { reportFailure } from "../terminal/failure.ts";

/** Returns digests, of the index if there is one. @throws UserError if an image cannot be pulled */
export async function lockImages(
  images: readonly string[],
  report: (line: string) => void = () => undefined,
): Promise<ImageLock> {
  const lock: ImageLock = {};
  for (const image of images) {
    lock[image] = await digestOf(image);
    report(`${image}  ${lock[image]}`);
  }
  return lock;
}

async function digestOf(image: string): Promise<string> {
  await docker(image, "pull", "--quiet", image);
  const text = await docker(image, "image", "inspect", "--format", "{{json .RepoDigests}}", image);
  const repository = image.slice(0, image.lastIndexOf(":"));
  const digests = JSON.parse(text) as string[];
  const own = digests.find((reference) => reference.startsWith(`${repository}@`));
  if (own) return own.slice(repository.length + 1);
  throw new UserError(`${image} has no digest: docker did not pull it`, `run docker pull ${image}`);
}

const run = promisify(execFile);

async function docker(image: string, ...args: readonly string[]): Promise<string> {
  try {
    return (await run("docker", args)).stdout.trim();
  } catch (error) {
    const { stderr = "", message } = error as Error & { readonly stderr?: string };
    throw new UserError(
      `docker ${args[0]} ${image} failed: ${(stderr || message).trim()}`,
      "run make lock-images on a machine with Docker and access to a container registry",
    );
  }
}

if (import.meta.main) {
  try {
    const lock = await lockImages([...new Set(officialImages.values())], (line) =>
      process.stdout.write(`${line}\n`),
    );
    writeFileSync(IMAGE_LOCK, `${JSON.stringify(lock, null, 2)}\n`);
  } catch (error) {
    process.exitCode = reportFailure(error);
  }
}
