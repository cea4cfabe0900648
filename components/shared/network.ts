import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { NetworkConfig } from "../config.ts";
import { networkOptions } from "./docker-traps.ts";
import { hostOf, type StackNames, stackNames } from "./names.ts";

/** Port of a container that this machine reaches. */
export interface Port {
  readonly internal: number;
  /** Port of this machine, with the stack's offset. */
  readonly external: number;
  readonly bind: string;
  readonly protocol: "tcp" | "udp";
}

export interface NetworkArgs extends NetworkConfig {
  /** Name of the stack, for names in the engine. */
  readonly stack: string;
}

/** Network of a stack, with the names and the addresses of what it contains. */
export class Network extends pulumi.ComponentResource {
  /** Id in the engine, so that a re-created network replaces its containers. */
  readonly id: pulumi.Output<string>;
  /** Name or address by which clients of this machine reach the published ports. */
  readonly host: string;
  readonly names: StackNames;
  readonly #config: NetworkConfig;

  constructor(name: string, config: NetworkArgs, opts?: pulumi.ComponentResourceOptions) {
    super("eventpipeline:index:Network", name, {}, opts);
    this.names = stackNames(config.stack);
    this.host = hostOf(config);
    this.#config = config;
    const network = new docker.Network(
      name,
      { name: this.names.network },
      { parent: this, ...networkOptions },
    );
    this.id = network.id;
    this.registerOutputs({ id: this.id, host: this.host });
  }

  /** Publishes a container's port. @param port of this machine, without the stack's offset */
  publish(internal: number, port: number, protocol: Port["protocol"] = "tcp"): Port {
    const { bind, portOffset } = this.#config;
    return { internal, external: port + portOffset, bind, protocol };
  }

  /** Returns the address of a published port, without a scheme. */
  address = ({ external }: Port): string => `${this.host}:${external}`;

  url = (port: Port): string => `http://${this.address(port)}`;
}
