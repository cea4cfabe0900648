import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";

/** Secrets that a component owns, by the name that `make secrets` shows. */
export type SecretOutputs = Readonly<Record<string, pulumi.Output<string>>>;

const LENGTH = 32;

/** Returns the given secret, or generates one that only `pulumi up --replace` changes. */
export const ownSecret = (
  name: string,
  given: pulumi.Input<string> | undefined,
  parent: pulumi.Resource,
): pulumi.Output<string> =>
  pulumi.secret(
    given ??
      // URLs and command arguments contain the value, so it has no special characters.
      new random.RandomPassword(name, { length: LENGTH, special: false }, { parent }).result,
  );
