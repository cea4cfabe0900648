import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import {
  configVolumeOptions,
  containerOptions,
  DO_NOT_START,
} from "../shared/docker-workarounds.ts";
import type { Label } from "../shared/labels.ts";
import type { ConfigFile, ConfigVolumeSpec } from "../shared/spec.ts";
import { type SecretOutputs, textWith } from "./secret.ts";
import { type Mount, mountOf } from "./volume.ts";

export interface ConfigVolumeArgs {
  readonly spec: ConfigVolumeSpec;
  readonly labels: readonly Label[];
  readonly secrets: SecretOutputs;
  /** Any available image, because the loader container never starts. */
  readonly image: pulumi.Input<string>;
}

const FOLDER = "/files";

/** Volume with configuration files. A loader container uploads them, so a change keeps the service. */
export class ConfigVolume extends pulumi.ComponentResource {
  readonly role: string;
  readonly mount: Mount;
  /** Id of the loader container, which changes with every file. */
  readonly loaderId: pulumi.Output<string>;

  constructor(name: string, args: ConfigVolumeArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:config:ConfigVolume", name, {}, opts);
    this.role = args.spec.role;
    const volume = new docker.Volume(
      name,
      { name: args.spec.volume, labels: [...args.labels] },
      { parent: this, ...configVolumeOptions },
    );
    const loader = new docker.Container(
      `${name}-loader`,
      {
        name: `${args.spec.volume}-loader`,
        image: args.image,
        ...DO_NOT_START,
        mounts: [{ type: "volume", source: volume.name, target: FOLDER }],
        uploads: args.spec.files.map((file) => upload(args, file)),
        labels: [...args.labels],
      },
      { parent: this, ...containerOptions },
    );
    this.mount = mountOf(volume, args.spec.path, true);
    this.loaderId = loader.id;
    const { role, mount, loaderId } = this;
    this.registerOutputs({ role, mount, loaderId });
  }
}

const upload = ({ secrets }: ConfigVolumeArgs, { path, content }: ConfigFile) => ({
  file: `${FOLDER}/${path}`,
  content: typeof content === "string" ? content : textWith(content, secrets),
});
