import type { Page, Response } from "playwright-core";
import { z } from "zod";
import { FILTER_PREFIX } from "../../superset/dashboards/filters.ts";
import type { Row } from "./ask.ts";

/** The page's query for one chart, and the answer to it. */
export interface PageRequest {
  readonly queries: string;
  readonly rows: readonly Row[];
}

const rows = z.array(z.record(z.string(), z.unknown()));
/** A query without a number belongs to a filter that loads its options. */
const sliced = z.object({ slice_id: z.int().optional() });
const request = z.object({ form_data: sliced, queries: z.array(z.unknown()) });
const answer = z.object({ result: z.array(z.object({ data: rows })) });
/** World maps use an older address. */
const olderAnswer = z.object({ data: rows });

export interface Notes {
  /** Chart's number → latest question. */
  latest(): Promise<Map<number, PageRequest>>;
  /** Time since the page last sent a query or had one open, ms. */
  calm(): number;
}

/**
 * Records the page's queries from now on. The page first queries every chart with every filter,
 * then repeats those that a filter excludes.
 */
export function noteRequests(page: Page): Notes {
  const pending: Promise<[number, PageRequest] | undefined>[] = [];
  let open = 0;
  let changed = Date.now();
  const change = (by: number) => () => {
    open += by;
    changed = Date.now();
  };
  page.on("request", change(1));
  page.on("requestfinished", change(-1));
  page.on("requestfailed", change(-1));
  page.on("response", (response) => {
    const reading = read(response);
    // A page that is closed before anybody asks for `latest` rejects what it still reads.
    reading.catch(() => {});
    pending.push(reading);
  });
  return {
    async latest() {
      return new Map((await Promise.all(pending)).filter((found) => found !== undefined));
    },
    calm: () => (open > 0 ? 0 : Date.now() - changed),
  };
}

async function read(response: Response): Promise<[number, PageRequest] | undefined> {
  const sent = response.request();
  const { pathname, searchParams } = new URL(response.url());
  if (sent.method() !== "POST" || response.status() !== 200) return undefined;
  // The page cancels a query when it queries the same chart again.
  if ((await response.finished()) !== null) return undefined;
  if (pathname === "/api/v1/chart/data") {
    const { form_data, queries } = request.parse(sent.postDataJSON());
    if (form_data.slice_id === undefined) return undefined;
    const { result } = answer.parse(await response.json());
    return [form_data.slice_id, { queries: withoutAddress(queries), rows: result[0]?.data ?? [] }];
  }
  if (!pathname.startsWith("/superset/explore_json")) return undefined;
  const text = /name="form_data"\r?\n\r?\n(\{.*\})/.exec(sent.postData() ?? "")?.[1];
  const form = text ?? searchParams.get("form_data") ?? "{}";
  const asked: unknown = JSON.parse(form);
  const { slice_id } = sliced.parse(asked);
  if (slice_id === undefined) return undefined;
  const { data } = olderAnswer.parse(await response.json());
  return [slice_id, { queries: withoutAddress(asked), rows: data }];
}

/** The page's own address, which names every filter, is part of every query. */
const withoutAddress = (question: unknown): string =>
  JSON.stringify(question, (key, value) => (key === "url_params" ? undefined : value));

/** Address parameters that set the dashboard's filters, as in its permanent link. */
export function chosen(
  range: { readonly start: string; readonly end: string },
  values: Readonly<Record<string, readonly [column: string, value: string]>>,
): string {
  const time = `${range.start} : ${range.end}`;
  const date = part("date", `time_range:'${time}'`, `'${time}'`);
  const others = Object.entries(values).map(([key, [column, value]]) =>
    part(key, `filters:!((col:${column},op:IN,val:!('${value}')))`, `!('${value}')`),
  );
  return `?native_filters=${encodeURIComponent(`(${[date, ...others].join(",")})`)}`;
}

function part(key: string, form: string, value: string): string {
  const id = FILTER_PREFIX + key;
  return `${id}:(id:${id},extraFormData:(${form}),filterState:(value:${value}))`;
}
