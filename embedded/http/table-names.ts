import { isWord, type Token } from "./lexer.ts";

interface Node {
  readonly kind: string;
  /** Name of the node, or empty: the text without kind, alias and number of children. */
  readonly name: string;
  readonly alias: string | undefined;
  readonly parent: Node | undefined;
}

/** Functions whose argument names a table: IN on both sides, dictGet, joinGet. */
const OPENS_ARGUMENT = /^(global)?(not)?(null)?in(ignoreset)?$|^(join|dict|naivebayes)/i;

/** Kinds of nodes whose identifiers are columns. */
const HOLDS_COLUMNS = [
  "SelectQuery",
  "Function",
  "OrderByElement",
  "TableJoin",
  "ArrayJoin",
  "WindowDefinition",
];

export const isReadable = (keyword: string, all: readonly Token[]): boolean =>
  (keyword === "SELECT" || keyword === "WITH") &&
  // Settings could shorten the tree, and an unknown parameter has no tree.
  !all.some((token) => token.text === "{" || isWord(token, "SETTINGS")) &&
  // The tree prints names unescaped, so these names could look like other nodes.
  !all.some(({ kind, text }) => text.includes("\\n") || (kind === "quoted" && UNCLEAR.test(text)));

/** Pattern of escapes, and of text that follows a name in the tree. */
const UNCLEAR = /\\|``|\((alias|children) /;

/** Returns a test for table names. `userFunctions` may pass an argument to IN. */
export function tableTest(
  tree: string,
  userFunctions: ReadonlySet<string>,
): (name: string) => boolean {
  const nodes = nodesOf(tree);
  const aliases = new Set(nodes.flatMap(({ alias }) => alias ?? []));
  const opens = (name: string): boolean =>
    OPENS_ARGUMENT.test(name) || userFunctions.has(name) || aliases.has(name);
  const names = nodes.filter(({ kind }) => kind === "Identifier" || kind === "TableIdentifier");
  const columns = new Set(names.filter((node) => isColumn(node, opens)));
  const tables = new Set(names).difference(columns);
  // A node whose alias is a table name is also a table. Iteration of a Set visits added items.
  for (const { name } of tables) {
    for (const node of columns) if (node.alias === name) tables.add(node);
  }
  const known = [...columns].filter((node) => !tables.has(node));
  return (name) => [...tables].some(has(name)) || !(aliases.has(name) || known.some(has(name)));
}

const has =
  (part: string) =>
  ({ name }: Node): boolean =>
    `.${name}.`.includes(`.${part}.`);

function isColumn({ kind, parent }: Node, opens: (name: string) => boolean): boolean {
  let holder = parent;
  while (holder?.kind === "ExpressionList") holder = holder.parent;
  if (kind !== "Identifier" || !holder || !HOLDS_COLUMNS.includes(holder.kind)) return false;
  if (holder.kind !== "Function") return true;
  return holder.parent?.kind !== "TableExpression" && !opens(holder.name);
}

function nodesOf(tree: string): readonly Node[] {
  const path: Node[] = [];
  return tree.split("\n").map((line) => {
    const [, indent = "", kind = "", rest = ""] = /^( *)(\S*) ?(.*)$/s.exec(line) ?? [];
    const [name = "", alias] = rest.replace(/ ?\(children \d+\)$/, "").split(/ ?\(alias /);
    const parent = path[indent.length - 1];
    const node = { kind, name, alias: alias?.replace(/\)$/, ""), parent };
    path[indent.length] = node;
    return node;
  });
}
