import { z } from "zod";
import { isDeclaredPosition } from "../layout.ts";

const node = z.looseObject({
  id: z.string(),
  type: z.string(),
  children: z.array(z.string()).default([]),
  parents: z.array(z.string()).optional(),
  meta: z
    .looseObject({
      uuid: z.string().nullish(),
      chartId: z.int().nullish(),
      width: z.number().optional(),
    })
    .optional(),
});
type Node = z.infer<typeof node>;
type Nodes = ReadonlyMap<string, Node>;

/** Parts of a layout that users added, in rows below the declared ones. */
export interface UserLayout {
  readonly nodes: readonly Node[];
  readonly lines: readonly string[];
  readonly count: number;
}

const COLUMNS = 12;
const FRAME = ["ROOT_ID", "GRID_ID"];
/** Types that may be directly in the grid; all other types need a row. */
const LINES = ["ROW", "HEADER", "DIVIDER", "TABS"];
const HOLDERS = ["ROW", "COLUMN"];
const SHOWN = ["CHART", "MARKDOWN", "DYNAMIC", "HEADER", "DIVIDER", "TAB"];
const TITLE_ID = "HEADER-extras";

export const nodesOf = (position: Readonly<Record<string, unknown>>): Node[] =>
  Object.values(position).flatMap((value) => {
    const read = node.safeParse(value);
    return read.success ? [read.data] : [];
  });

/** UUIDs of charts. */
export interface ChartIds {
  readonly byNumber: ReadonlyMap<number, string>;
  /** Declared charts of the dashboard. */
  readonly declared: ReadonlySet<string>;
}

/** Returns layout components of users, except for deleted charts. */
export function userLayoutOf(
  position: Readonly<Record<string, unknown>>,
  { byNumber, declared }: ChartIds,
): UserLayout {
  const isOurs = ({ id, meta }: Node): boolean =>
    isDeclaredPosition(id, meta?.uuid) || declared.has(meta?.uuid ?? "");
  const nodes: Nodes = new Map(
    nodesOf(position)
      .map((one) => withUuid(one, byNumber, isOurs))
      .filter(isShowable)
      .map((one) => [one.id, one]),
  );
  const roots = [...rootsBelow(nodes, isOurs, "ROOT_ID", false)];
  const whole = inLines(
    roots.map((id) => pruned(nodes, isOurs, id)).filter((part) => part.length > 0),
  );
  if (whole.every(([first]) => first?.id === TITLE_ID)) return { nodes: [], lines: [], count: 0 };
  const lines = whole.some(([first]) => first?.id === TITLE_ID) ? whole : [[title()], ...whole];
  const kept = new Map(lines.flat().map((one) => [one.id, one]));
  const ids = lines.flatMap(([first]) => (first ? [first.id] : []));
  return {
    nodes: ids.flatMap((id) => placed(kept, id, FRAME)),
    lines: ids,
    count: [...kept.values()].filter((one) => SHOWN.includes(one.type) && one.id !== TITLE_ID)
      .length,
  };
}

type IsOurs = (node: Node) => boolean;

function withUuid(one: Node, charts: ReadonlyMap<number, string>, isOurs: IsOurs): Node {
  if (one.type !== "CHART") return one;
  // Declared positions contain the UUID, because the chart may have been deleted.
  const uuid = charts.get(one.meta?.chartId ?? -1) ?? (isOurs(one) ? one.meta?.uuid : undefined);
  return { ...one, meta: { ...one.meta, uuid } };
}

const isShowable = ({ type, meta }: Node): boolean => type !== "CHART" || Boolean(meta?.uuid);

/** Yields ids of the topmost parts of users, also those inside declared parts. */
function* rootsBelow(
  nodes: Nodes,
  isOurs: IsOurs,
  id: string,
  isInside: boolean,
): Generator<string> {
  for (const child of childrenOf(nodes, id)) {
    const isForeign = !isOurs(child);
    if (isForeign && !isInside) yield child.id;
    yield* rootsBelow(nodes, isOurs, child.id, isForeign);
  }
}

const childrenOf = (nodes: Nodes, id: string): Node[] =>
  (nodes.get(id)?.children ?? []).flatMap((child) => nodes.get(child) ?? []);

/** Returns the parts below a node, without invisible ones. */
function pruned(nodes: Nodes, isOurs: IsOurs, id: string): Node[] {
  const found = nodes.get(id);
  if (!found || isOurs(found)) return [];
  const below = found.children
    .map((child) => pruned(nodes, isOurs, child))
    .filter((p) => p.length > 0);
  if (HOLDERS.includes(found.type) && below.length === 0) return [];
  const children = below.flatMap(([first]) => (first ? [first.id] : []));
  return [{ ...found, children }, ...below.flat()];
}

/** Wraps parts that need a row into rows of at most twelve columns, in order. */
function inLines(parts: readonly Node[][]): Node[][] {
  const lines: Node[][] = [];
  let free = 0;
  for (const part of parts) {
    const [first] = part;
    if (!first) continue;
    if (LINES.includes(first.type)) {
      lines.push(part);
      free = 0;
      continue;
    }
    const width = first.meta?.width ?? COLUMNS;
    if (width > free) {
      lines.push([rowFor(first)]);
      free = COLUMNS;
    }
    lines.at(-1)?.[0]?.children.push(first.id);
    lines.at(-1)?.push(...part);
    free -= width;
  }
  return lines;
}

const BACKGROUND = { background: "BACKGROUND_TRANSPARENT" };

const rowFor = ({ id }: Node): Node => ({
  id: `ROW-extras-${id}`,
  type: "ROW",
  children: [],
  meta: { ...BACKGROUND },
});

const title = (): Node => ({
  id: TITLE_ID,
  type: "HEADER",
  children: [],
  meta: { text: "Added here", headerSize: "MEDIUM_HEADER", ...BACKGROUND },
});

function placed(nodes: Nodes, id: string, parents: readonly string[]): Node[] {
  const found = nodes.get(id);
  if (!found) return [];
  const below = found.children.flatMap((child) => placed(nodes, child, [...parents, id]));
  return [{ ...found, parents: [...parents] }, ...below];
}
