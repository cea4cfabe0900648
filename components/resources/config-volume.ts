import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { Label } from "../shared/labels.ts";
import type { ConfigFile, ConfigVolumeSpec } from "../shared/spec.ts";
import { type SecretOutputs, textWith } from "./secret.ts";
import { REPLACING } from "./service-container.ts";

export interface ConfigVolumeArgs {
  readonly spec: ConfigVolumeSpec;
  readonly labels: readonly Label[];
  readonly secrets: SecretOutputs;
  /** Any available image: the loader that carries the files never starts. */
  readonly image: pulumi.Input<string>;
}

const FOLDER = "/files";

/** An uploader that never starts carries them, so a change leaves the service running. */
export class ConfigVolume extends pulumi.ComponentResource {
  readonly role: string;
  readonly volume: docker.Volume;
  readonly engineName: string;
  /** Changes with every file. */
  readonly loaderId: pulumi.Output<string>;

  constructor(name: string, args: ConfigVolumeArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:config:ConfigVolume", name, {}, opts);
    this.role = args.spec.role;
    this.engineName = args.spec.volume;
    this.volume = new docker.Volume(
      name,
      { name: args.spec.volume, labels: [...args.labels] },
      {
        parent: this,
        // Another name never clashes, and the service still mounts the previous volume.
        deleteBeforeReplace: false,
        // The provider would replace a volume of the same name, which is still mounted.
        ignoreChanges: ["labels", "driver", "driverOpts"],
      },
    );
    const loader = new docker.Container(
      `${name}-loader`,
      {
        name: `${args.spec.volume}-loader`,
        image: args.image,
        start: false,
        mustRun: false,
        mounts: [{ type: "volume", source: this.volume.name, target: FOLDER }],
        uploads: args.spec.files.map((file) => upload(args, file)),
        labels: [...args.labels],
      },
      {
        parent: this,
        replaceOnChanges: [...REPLACING],
        deleteBeforeReplace: true,
      },
    );
    this.loaderId = loader.id;
    this.registerOutputs({ loaderId: this.loaderId });
  }
}

const upload = ({ secrets }: ConfigVolumeArgs, { path, content }: ConfigFile) => ({
  file: `${FOLDER}/${path}`,
  content: typeof content === "string" ? content : textWith(content, secrets),
});
