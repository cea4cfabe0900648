import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ImageLock } from "../components/shared/image-lock.ts";
import { UserError } from "../contract/errors.ts";

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
