import { Document, isCollection, isPair } from "yaml";

/** Longest list or object on one line, in characters of its JSON. */
const LINE = 100;

/** Returns YAML for golden files: short lists and objects take one line, so that a person reads it. */
export function shortYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  joinLines(document.contents);
  return document.toString({ lineWidth: 0 });
}

function joinLines(node: unknown): void {
  if (isPair(node)) joinLines(node.value);
  if (!isCollection(node)) return;
  if (JSON.stringify(node.toJSON()).length <= LINE) node.flow = true;
  else node.items.forEach(joinLines);
}
