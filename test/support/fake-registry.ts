import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const TYPES = "application/vnd.docker";
const INDEX = `${TYPES}.distribution.manifest.list.v2+json`;
const MANIFEST = `${TYPES}.distribution.manifest.v2+json`;

const digestOf = (content: Buffer): string =>
  `sha256:${createHash("sha256").update(content).digest("hex")}`;

/** Creates the reference to a blob in a manifest. */
const descriptor = (mediaType: string, content: Buffer) => ({
  mediaType,
  size: content.length,
  digest: digestOf(content),
});

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Creates a tiny image, a manifest, and an index for this machine's platform. */
function tinyImage() {
  const platform = { architecture: process.arch === "x64" ? "amd64" : process.arch, os: "linux" };
  const layer = Buffer.alloc(1024);
  const rootfs = { type: "layers", diff_ids: [digestOf(layer)] };
  const config = json({ ...platform, config: { Cmd: ["none"] }, rootfs });
  const manifest = json({
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: descriptor(`${TYPES}.container.image.v1+json`, config),
    layers: [descriptor(`${TYPES}.image.rootfs.diff.tar`, layer)],
  });
  const index = json({
    schemaVersion: 2,
    mediaType: INDEX,
    manifests: [{ ...descriptor(MANIFEST, manifest), platform }],
  });
  return { layer, config, manifest, index };
}

interface FakeRegistry {
  /** Name of the only repository, in which every tag is the same image. */
  readonly repository: string;
  /** Digest of the image index. */
  readonly digest: string;
  close(): void;
}

/** Serves a tiny image to a container engine on this machine by the registry protocol. */
export async function startFakeRegistry(): Promise<FakeRegistry> {
  const { layer, config, manifest, index } = tinyImage();
  const contents = new Map(
    [layer, config, manifest, index].map((content) => [digestOf(content), content]),
  );
  const server = createServer(({ url = "", method }, response) => {
    const reference = url.split("/").at(-1) ?? "";
    const content = contents.get(reference) ?? (url.includes("/manifests/") ? index : json({}));
    const type = new Map([
      [manifest, MANIFEST],
      [index, INDEX],
    ]).get(content);
    response.writeHead(200, {
      "content-type": type ?? "application/octet-stream",
      "content-length": content.length,
      "docker-content-digest": digestOf(content),
    });
    response.end(method === "HEAD" ? undefined : content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    repository: `127.0.0.1:${(server.address() as AddressInfo).port}/test/tiny`,
    digest: digestOf(index),
    close: () => void server.close(),
  };
}
