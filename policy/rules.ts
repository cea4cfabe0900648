/** Rules for the resources of a stack, which also hold for forks and for programs that embed it. */

interface Container {
  readonly image?: string;
  readonly user?: string;
  readonly memory?: number;
  readonly envs?: readonly string[];
  readonly ports?: readonly { readonly ip?: string }[];
  readonly capabilities?: { readonly adds?: readonly string[]; readonly drops?: readonly string[] };
  readonly securityOpts?: readonly string[];
  readonly logOpts?: Readonly<Record<string, string>>;
  readonly readOnly?: boolean;
  readonly privileged?: boolean;
  readonly networkMode?: string;
  readonly pidMode?: string;
  readonly ipcMode?: string;
  readonly devices?: readonly object[];
  readonly mounts?: readonly { readonly type: string; readonly source?: string }[];
  readonly volumes?: readonly { readonly hostPath?: string }[];
  readonly uploads?: readonly object[];
}

export interface Rule {
  readonly name: string;
  readonly description: string;
  /** Type of the resources. */
  readonly type: string;
  /** True for a rule that only warns, because a setting may break it on purpose. */
  readonly isAdvice?: boolean;
  /** Returns what is wrong; undefined if nothing is. */
  readonly check: (props: never) => string | undefined;
}

const container = (
  name: string,
  description: string,
  check: (props: Container) => string | undefined,
): Rule => ({ name, description, type: "docker:index/container:Container", check });

/** Variables whose name says that the value is a secret, and not the path of a file or a command. */
const SECRET = /^\w*(PASSWORD|PASSWD|SECRET|TOKEN|API_KEY|SECRET_KEY|FERNET_KEY)=./i;

export const rules: readonly Rule[] = [
  container("user", "A container does not run as root or in its group", ({ user = "" }) =>
    // A number without a group has that of root.
    /^(0|root)?(:|$)|:(0|root)$|^\d+$/.test(user)
      ? `its user is ${user || "the image's"}`
      : undefined,
  ),
  container(
    "privileges",
    "A container has no capabilities, and gains no privileges",
    ({ capabilities, securityOpts = [], privileged }) => {
      if (privileged) return "it is privileged";
      const { drops = [], adds = [] } = capabilities ?? {};
      if (!drops.includes("ALL") || adds.length > 0) return "it keeps capabilities";
      const isBound = /^no-new-privileges(:true)?$/.test(securityOpts.join());
      return isBound ? undefined : "it can gain privileges";
    },
  ),
  container("memory", "A container has a memory limit", ({ memory = 0 }) =>
    memory > 0 ? undefined : "it has no limit",
  ),
  container("logs", "The log of a container cannot fill the disk", ({ logOpts = {} }) =>
    logOpts["max-size"] && logOpts["max-file"] ? undefined : "its log is unlimited",
  ),
  container(
    "secrets",
    "Secrets are files, because docker inspect shows variables",
    ({ envs = [] }) => {
      const names = envs.filter((one) => SECRET.test(one)).map((one) => one.split("=")[0]);
      return names.length > 0 ? `it has ${names.join(", ")}` : undefined;
    },
  ),
  container("network", "A container joins the stack's network alone", ({ networkMode = "" }) =>
    /^(host$|container:)/.test(networkMode) ? `it uses the network ${networkMode}` : undefined,
  ),
  container("isolation", "A container shares nothing with the machine or another one", (props) => {
    const shared = [props.pidMode, props.ipcMode].filter((mode) =>
      /^(host$|container:)/.test(mode ?? ""),
    );
    if (shared.length > 0) return `it shares ${shared.join(", ")}`;
    return props.devices?.length ? "it has devices" : undefined;
  }),
  container(
    "files",
    "A container mounts volumes, and no file of the machine, such as the engine's socket",
    ({ mounts = [], volumes = [] }) => {
      const bound = mounts.filter(({ type }) => type === "bind").map(({ source }) => source);
      const paths = [...bound, ...volumes.map(({ hostPath }) => hostPath)].filter(Boolean);
      return paths.length > 0 ? `it mounts ${paths.join(", ")}` : undefined;
    },
  ),
  {
    ...container("loopback", "Ports are published on this machine only", ({ ports = [] }) => {
      const open = ports.map(({ ip = "0.0.0.0" }) => ip).filter((ip) => !ip.startsWith("127."));
      return open.length > 0 ? `it listens on ${open.join(", ")}` : undefined;
    }),
    // network.bind may publish them on purpose.
    isAdvice: true,
  },
  container("root", "The root file system is read-only", ({ readOnly, uploads = [] }) =>
    // The provider copies uploads into `/`, which Docker refuses for a read-only root.
    readOnly || uploads.length > 0 ? undefined : "it is writable, although it has no uploads",
  ),
  {
    name: "image",
    description: "An image is pinned by its digest, or by a name of make offline-images",
    type: "docker:index/remoteImage:RemoteImage",
    // Without a digest, a tag can move; make lock-images writes the digests.
    isAdvice: true,
    check: ({ name }: { readonly name: string }) =>
      /@sha256:[0-9a-f]{64}$|^event-pipeline\/offline\//.test(name)
        ? undefined
        : `${name} has no digest`,
  },
];
