/** Name of the random id in the state, which labels everything that the state owns in the engine. */
export const IDENTITY = "identity";

/** Resource in Pulumi's state. */
export interface RecordedResource {
  readonly urn: string;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/** Returns the id of a state; undefined before its first run. */
export function recordedIdentity(resources: readonly RecordedResource[]): string | undefined {
  const end = `random:index/randomId:RandomId::${IDENTITY}`;
  const id = resources.find(({ urn }) => urn.endsWith(end))?.outputs?.hex;
  return typeof id === "string" ? id : undefined;
}
