import type { SecretName } from "../secrets.ts";

export type SecretValues = Readonly<Partial<Record<SecretName, string>>>;

/** Text with secrets: the plan defines the text, the component has the values. */
export interface SecretText {
  readonly from: readonly SecretName[];
  readonly render: (values: SecretValues) => string;
}

export type Text = string | SecretText;

/** Creates a text with secrets. @param render receives the secrets named in `from` */
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

export const justSecret = (name: SecretName): SecretText =>
  secretText([name], (values) => values[name]);

export const renderText = (text: Text, values: SecretValues): string =>
  typeof text === "string" ? text : text.render(values);
