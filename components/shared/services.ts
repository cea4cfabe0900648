import * as pulumi from "@pulumi/pulumi";
import { type Client, joinClients } from "./commands.ts";
import type { Page } from "./page.ts";
import type { ScrapeJob } from "./scrape.ts";
import type { SecretOutputs } from "./secrets.ts";

/** What a service may offer to the rest of the stack, to people, and to commands on this machine. */
interface Offer {
  readonly page?: Page | undefined;
  readonly scrape?: readonly ScrapeJob[];
  readonly client?: Client;
  readonly secrets?: SecretOutputs;
}

/** Services in the order of their creation. Later ones take what earlier ones offer. */
export class Services {
  readonly #offers: Offer[] = [];

  /** Adds a service; undefined for one that the stack does not deploy. */
  add<S extends Offer | undefined>(service: S): S {
    if (service) this.#offers.push(service);
    return service;
  }

  get pages(): Page[] {
    return this.#offers.flatMap(({ page }) => page ?? []);
  }

  get scrape(): ScrapeJob[] {
    return this.#offers.flatMap(({ scrape }) => scrape ?? []);
  }

  /** Outputs of the stack: pages for people, variables for commands, and all secrets. */
  get outputs() {
    const { environment } = joinClients(...this.#offers.map(({ client }) => client));
    const secrets: SecretOutputs = Object.assign({}, ...this.#offers.map((one) => one.secrets));
    return {
      pages: this.pages,
      client: pulumi.secret(environment),
      secrets: pulumi.secret(secrets),
    };
  }
}
