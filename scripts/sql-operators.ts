/** Change of a SQL text: the text between two positions is replaced. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Number of open brackets; that of a bracket is the one outside. */
  readonly depth: number;
}

/** Text between two tokens, the last one excluded. */
type Span = readonly [from: number, to: number];
type Operator = (tokens: readonly Token[], at: number) => Edit[];

/** Returns every change that an operator makes to the SELECTs of a file. */
export function editsOf(sql: string, isDdl: boolean): Edit[] {
  const all = tokensOf(sql);
  const tokens = isDdl ? all.slice(selectOf(all)) : all;
  const edits = OPERATORS.flatMap((operator) => tokens.flatMap((_, at) => operator(tokens, at)));
  const isChange = ({ start, end, text }: Edit) => sql.slice(start, end) !== text;
  return [...new Map(edits.filter(isChange).map((edit) => [applyEdit(sql, edit), edit])).values()];
}

export const applyEdit = (sql: string, { start, end, text }: Edit): string =>
  sql.slice(0, start) + text + sql.slice(end);

const TOKEN = /--[^\n]*|'(?:[^'\\]|\\.)*'|[A-Za-z_][\w.]*|\d[\w.]*|->|::|<=|>=|!=|\S/g;

function tokensOf(sql: string): Token[] {
  let depth = 0;
  return [...sql.matchAll(TOKEN)]
    .filter(([text]) => !text.startsWith("--"))
    .map(({ 0: text, index: start }) => {
      if (")]}".includes(text)) depth -= 1;
      const token = { text, start, end: start + text.length, depth };
      if ("([{".includes(text)) depth += 1;
      return token;
    });
}

/** Place of the SELECT of a view or of the first function, or the end of a table. */
function selectOf(tokens: readonly Token[]): number {
  const at = tokens.findIndex(
    ({ text }, place) =>
      text === "FUNCTION" ||
      (text === "AS" && /^(WITH|SELECT)$/.test(tokens[place + 1]?.text ?? "")),
  );
  return at < 0 ? tokens.length : at;
}

const change = (tokens: readonly Token[], [from, to]: Span, text: string): Edit => ({
  start: tokens[from]?.start ?? 0,
  end: tokens[to - 1]?.end ?? 0,
  text,
});

const TWINS: readonly (readonly [RegExp, string])[] = [
  [/min(?=If$|OrNull|$)/, "max"],
  [/max(?=If$|OrNull|$)/, "min"],
  [/^(arg|array)Min/, "$1Max"],
  [/^(arg|array)Max/, "$1Min"],
  [/^arrayFirst/, "arrayLast"],
  [/^arrayLast/, "arrayFirst"],
  [/^uniqExact$/, "count"],
  [/^least$/, "greatest"],
  [/^greatest$/, "least"],
];

/** Takes the largest instead of the smallest, the last instead of the first, or repeated values as well. */
const otherEnd: Operator = (tokens, at) => {
  const { text = "" } = tokens[at] ?? {};
  const [found, other] = TWINS.find(([pattern]) => pattern.test(text)) ?? [];
  if (!found || !other || tokens[at + 1]?.text !== "(") return [];
  return [change(tokens, [at, at + 1], text.replace(found, other))];
};

const otherBound: Operator = (tokens, at) => {
  const { text = "" } = tokens[at] ?? {};
  const other = text.endsWith("=") ? text.slice(0, -1) : `${text}=`;
  return /^[<>]=?$/.test(text) ? [change(tokens, [at, at + 1], other)] : [];
};

/** Adds one to a number that is added, subtracted or compared. */
const offByOne: Operator = (tokens, at) => {
  const { text = "" } = tokens[at] ?? {};
  const isOperand = /^([-+<>=]|[<>!]=|INTERVAL)$/.test(tokens[at - 1]?.text ?? "");
  return isOperand && /^\d+$/.test(text)
    ? [change(tokens, [at, at + 1], String(Number(text) + 1))]
    : [];
};

const droppedNot: Operator = (tokens, at) => {
  const next = tokens[at + 1]?.text ?? "";
  const isOperator = tokens[at]?.text === "NOT" && !/^(EXISTS|NULL)$/.test(next);
  return isOperator ? [change(tokens, [at, at + 2], next)] : [];
};

const swappedBranches: Operator = (tokens, at) => {
  if (!/^(if|multiIf)$/.test(tokens[at]?.text ?? "")) return [];
  const parts = partsOf(tokens, at + 2);
  const swap = (first: Span, second: Span): Edit => {
    const between = textOf(tokens, [first[1], second[0]]);
    const text = `${textOf(tokens, second)}${between} ${textOf(tokens, first)}`;
    return change(tokens, [first[0], second[1]], text);
  };
  const [, yes, no] = parts;
  if (parts.length === 3 && yes && no) return [swap(yes, no)];
  // Neighbouring rules change places.
  return parts.flatMap((one, place) => {
    const [value, next, last] = parts.slice(place + 1, place + 4);
    const isRule = place % 2 === 0 && value && next && last;
    return isRule ? [swap([one[0], value[1]], [next[0], last[1]])] : [];
  });
};

const droppedKey: Operator = (tokens, at) => {
  const isOrder = tokens[at]?.text === "ORDER" && tokens[at + 1]?.text === "BY";
  const isTuple = tokens[at]?.text === "(" && /^argM(in|ax)(If)?$/.test(callOf(tokens, at));
  if (!isOrder && !isTuple) return [];
  const keys = partsOf(tokens, isOrder ? at + 2 : at + 1);
  const turned = keys
    .filter(([, to]) => isOrder && tokens[to - 1]?.text === "DESC")
    .map(([, to]) => change(tokens, [to - 1, to], ""));
  if (keys.length < 2) return turned;
  const dropped = keys.map(([from, to], place) =>
    change(tokens, place === 0 ? [from, to + 1] : [from - 1, to], ""),
  );
  return [...turned, ...dropped];
};

/** Name of the function of which a bracket is the second argument. */
function callOf(tokens: readonly Token[], at: number): string {
  const { depth = 0, text } = tokens[at] ?? {};
  if (text !== "(" || tokens[at - 1]?.text !== ",") return "";
  const open = tokens.findLastIndex((token, place) => place < at && token.depth < depth);
  return tokens[open - 1]?.text ?? "";
}

/** Drops one operand of AND or OR, or the only condition of WHERE or HAVING. */
const droppedCondition: Operator = (tokens, at) => {
  const { text = "", depth = 0 } = tokens[at] ?? {};
  if (/^(WHERE|HAVING)$/.test(text)) {
    const end = endOf(tokens, at + 1);
    const isOnly = !/^(AND|OR)$/.test(tokens[end]?.text ?? "");
    return isOnly ? [change(tokens, [at + 1, end], "true")] : [];
  }
  const isOperator = /^(AND|OR)$/.test(text) && tokens[at + 1]?.text !== "REPLACE";
  if (!isOperator || isOfBetween(tokens, at)) return [];
  const right = change(tokens, [at, endOf(tokens, at + 1)], "");
  const before = tokens.findLastIndex(
    (token, place) =>
      place < at &&
      (token.depth < depth || (token.depth === depth && BEGIN.test(token.text))) &&
      !isOfBetween(tokens, place),
  );
  const isFirst = !/^(AND|OR)$/.test(tokens[before]?.text ?? "");
  return isFirst ? [right, change(tokens, [before + 1, at + 1], "")] : [right];
};

const BEGIN = /^(AND|OR|WHERE|HAVING|ON|SELECT|WITH|WHEN|BY|,|->)$/;
const END =
  /^(AND|OR|GROUP|ORDER|LIMIT|HAVING|SETTINGS|UNION|WHERE|FROM|LEFT|INNER|ANY|JOIN|AS|THEN|END|WINDOW|QUALIFY|ROWS|,|;)$/;

/** Place behind an expression: a keyword, a comma or the bracket that encloses it. */
function endOf(tokens: readonly Token[], from: number): number {
  const depth = tokens[from]?.depth ?? 0;
  const end = tokens.findIndex(
    (token, at) =>
      at >= from &&
      (token.depth < depth || (token.depth === depth && END.test(token.text))) &&
      !isOfBetween(tokens, at),
  );
  return end < 0 ? tokens.length : end;
}

function isOfBetween(tokens: readonly Token[], at: number): boolean {
  if (tokens[at]?.text !== "AND") return false;
  const depth = tokens[at]?.depth;
  const before = tokens.slice(0, at).filter((token) => token.depth === depth);
  return before.findLast(({ text }) => /^(AND|OR|BETWEEN|WHERE)$/.test(text))?.text === "BETWEEN";
}

/** Expressions that commas separate. */
function partsOf(tokens: readonly Token[], from: number): Span[] {
  const parts: Span[] = [];
  for (let begin = from; ; ) {
    const end = endOfPart(tokens, begin);
    parts.push([begin, end]);
    if (tokens[end]?.text !== ",") return parts;
    begin = end + 1;
  }
}

/** Like `endOf`, but AND and OR belong to the expression. */
function endOfPart(tokens: readonly Token[], from: number): number {
  let end = endOf(tokens, from);
  while (/^(AND|OR)$/.test(tokens[end]?.text ?? "")) end = endOf(tokens, end + 1);
  return end;
}

const textOf = (tokens: readonly Token[], [from, to]: Span): string =>
  tokens
    .slice(from, to)
    .map(({ text }) => text)
    .join(" ");

const OPERATORS = [
  otherEnd,
  otherBound,
  offByOne,
  droppedNot,
  swappedBranches,
  droppedKey,
  droppedCondition,
];
