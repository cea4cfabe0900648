import * as pulumi from "@pulumi/pulumi";
import type { Page } from "./page.ts";
import type { ScrapeJob } from "./scrape.ts";
import type { SecretOutputs } from "./secrets.ts";
import { joined, type Use } from "./use.ts";

/** What a service may offer to the rest of the stack, to people, and to commands on this machine. */
interface Offer {
  readonly page?: Page | undefined;
  readonly scrape?: readonly ScrapeJob[];
  readonly client?: Use;
  readonly secrets?: SecretOutputs;
}

type Deployed<S> = S extends false ? undefined : S;

/** Services in the order of their creation. One that takes what all offer comes after them. */
export class Services {
  readonly #offers: Offer[] = [];
  #isScraped = false;
  #isLinked = false;

  /** Adds a service; false or undefined for one that the stack does not deploy. */
  add<S extends Offer | false | undefined>(service: S): Deployed<S> {
    if (!service) return undefined as Deployed<S>;
    if (this.#isScraped) for (const { target } of service.scrape ?? []) late(target, "scrape jobs");
    if (this.#isLinked && service.page?.isTool) late(service.page.title, "pages of tools");
    this.#offers.push(service);
    return service as Deployed<S>;
  }

  /** Jobs of all services. */
  get scrape(): ScrapeJob[] {
    this.#isScraped = true;
    return this.#offers.flatMap(({ scrape }) => scrape ?? []);
  }

  /** Pages of all tools. */
  get tools(): Page[] {
    this.#isLinked = true;
    return this.#pages.filter(({ isTool }) => isTool);
  }

  get #pages(): Page[] {
    return this.#offers.flatMap(({ page }) => page ?? []);
  }

  /** Outputs of the stack: pages for people, variables for commands, and all secrets. */
  get outputs() {
    const { environment } = joined(this.#offers.map(({ client }) => client));
    const secrets: SecretOutputs = Object.assign({}, ...this.#offers.map((one) => one.secrets));
    return {
      pages: this.#pages,
      client: pulumi.secret(environment),
      secrets: pulumi.secret(secrets),
    };
  }
}

function late(what: string, taken: string): never {
  throw new Error(`${what} is declared after the service that takes all ${taken}`);
}
