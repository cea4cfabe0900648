/** Syntax node. The plugin ignores user-facing texts, because a test would only copy them. */
interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
  readonly expressions?: readonly Node[];
}

/** Pattern of a sentence: a capital letter and at least three words. */
const SENTENCE = /^[A-Z][^{}=]*? [^{}=]+ [^{}=]*$/;
/** Expressions without a decision. */
const PLAIN = new Set(["Identifier", "MemberExpression"]);

function textOf({ type, value, quasis = [], expressions = [] }: Node): string | undefined {
  if (type === "StringLiteral" && typeof value === "string") return value;
  if (type !== "TemplateLiteral" || expressions.some((each) => !PLAIN.has(each.type))) return;
  return quasis.map((part) => part.value.raw).join("X");
}

const shouldIgnore = ({ node }: { readonly node: Node }): string | undefined =>
  SENTENCE.test(textOf(node) ?? "") ? "a sentence for people" : undefined;

export const strykerPlugins = [{ kind: "Ignore", name: "texts", value: { shouldIgnore } }];
