/**
 * StrykerJS plugin: leaves sentences for people alone (descriptions, messages, hints). Their wording
 * is no behaviour, and a test of it would be a copy of it. Names, types, SQL and settings are mutated
 * as all code is.
 */
interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
  readonly expressions?: readonly Node[];
}

/** Begins with a capital letter and has at least three words. */
const SENTENCE = /^[A-Z][^{}=]*? [^{}=]+ [^{}=]*$/;
/** What a message may insert without deciding anything. */
const PLAIN = new Set(["Identifier", "MemberExpression"]);

function textOf({ type, value, quasis = [], expressions = [] }: Node): string | undefined {
  if (type === "StringLiteral" && typeof value === "string") return value;
  if (type !== "TemplateLiteral" || expressions.some((each) => !PLAIN.has(each.type))) return;
  return quasis.map((part) => part.value.raw).join("X");
}

const shouldIgnore = ({ node }: { readonly node: Node }): string | undefined =>
  SENTENCE.test(textOf(node) ?? "") ? "a sentence for people" : undefined;

export const strykerPlugins = [{ kind: "Ignore", name: "texts", value: { shouldIgnore } }];
