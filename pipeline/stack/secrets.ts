import { UserError } from "../../contract/errors.ts";
import { PROJECT } from "./names.ts";

/**
 * Secrets of a stack. The service that owns one generates it, unless the configuration sets it;
 * those of an external broker or database are always set.
 */
export const secrets = {
  databasePassword: "ClickHouse user default (administrator)",
  biPassword: "ClickHouse user bi (reads the marts)",
  monitorPassword: "ClickHouse user monitor (state of the layers)",
  controlToken: "Bearer token of the generator's control endpoint",
  adminPassword: "Account admin of Grafana, Airflow and Superset",
  postgresPassword: "PostgreSQL user postgres (administrator)",
  schedulerDatabasePassword: "PostgreSQL user airflow",
  schedulerFernetKey: "Encrypts connections and variables in Airflow's database",
  schedulerPreviousFernetKey: "Airflow's Fernet key before the last change",
  schedulerWebKey: "Signs the sessions of Airflow's web server",
  biDatabasePassword: "PostgreSQL user superset",
  biSecretKey: "Signs Superset's sessions and encrypts stored passwords",
  biPreviousSecretKey: "Superset's key before the last change",
  brokerPassword: "Password at an external broker",
} as const;

export type SecretName = keyof typeof secrets;
export const isSecretName = (name: string): name is SecretName => Object.hasOwn(secrets, name);

/** Values by name, of as many secrets as are at hand. */
export type SecretValues = Readonly<Partial<Record<SecretName, string>>>;

/** Text with secrets in it. A specification says how it is made; its component has the values. */
export interface SecretText {
  readonly from: readonly SecretName[];
  readonly render: (values: SecretValues) => string;
}

/** Text of a file: known, or made from secrets. */
export type Text = string | SecretText;

/** @param render is given exactly the secrets named in `from` */
export const secretText = <N extends SecretName>(
  from: readonly N[],
  render: (values: Readonly<Record<N, string>>) => string,
): SecretText => ({
  from,
  render: (values) => {
    const missing = from.find((name) => values[name] === undefined);
    if (missing) throw new Error(`the value of ${missing} was not handed to what needs it`);
    return render(values as Record<N, string>);
  },
});

/** Text that is one secret and nothing else. */
export const justSecret = (name: SecretName): SecretText =>
  secretText([name], (values) => values[name]);

/** @throws Error where a secret that the text needs has no value */
export const renderText = (text: Text, values: SecretValues): string =>
  typeof text === "string" ? text : text.render(values);

export const setSecretCommand = (name: SecretName): string =>
  `pulumi config set --secret ${PROJECT}:${name}`;

/** An error about a secret that only the user can know. */
export const missingSecret = (name: SecretName, setting: string): UserError =>
  new UserError(
    `${setting} needs the secret ${name} (${secrets[name]}), which is not set.`,
    setSecretCommand(name),
  );
