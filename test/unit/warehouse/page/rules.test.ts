import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, test } from "vitest";
import { QUESTIONS } from "../../../../warehouse/engine/page/questions.ts";
import { pageRules } from "../../../../warehouse/engine/page/rules.ts";
import { useFolder } from "../../../support/use-folder.ts";

const directory = useFolder("page");
beforeAll(() => {
  mkdirSync(join(directory, "engine"));
});

interface Rule {
  readonly url: string;
  readonly handler: {
    readonly content_type: string;
    readonly http_response_headers: Readonly<Record<string, string>>;
    readonly response_content: string;
  };
}

const rulesOf = (last?: string): Map<string, Rule["handler"]> => {
  const userFiles = join(directory, "engine");
  const workspace = last === undefined ? {} : { workspace: { directory, last } };
  const rules = pageRules({ name: 'a "b"', userFiles, ...workspace }) as unknown as Rule[];
  return new Map(rules.map(({ url, handler }) => [url, handler]));
};

describe("the rules of the page", () => {
  it("name existing files, and a type for each", () => {
    for (const [url, { response_content: content, content_type: type }] of rulesOf()) {
      if (!content.startsWith("file://")) continue;
      expect(existsSync(join(directory, "engine", content.slice(7))), url).toBe(true);
      expect(type, url).toMatch(/^text\/(html|css|javascript); charset=UTF-8$/);
    }
  });

  it("serve every module that the page imports", () => {
    const rules = rulesOf();
    const html = readFileSync(
      join(directory, "engine", rules.get("/play")?.response_content.slice(7) ?? ""),
      "utf8",
    );
    const addresses = [...html.matchAll(/"\.(\/play\/[^"]+)"/g)].map(([, url]) => url);
    expect(addresses.length).toBeGreaterThan(12);
    for (const url of addresses) expect([...rules.keys()]).toContain(url);
  });

  it("allow no script in the page but its import map", () => {
    const { http_response_headers: headers, response_content: file } = rulesOf().get("/play") ?? {};
    const html = readFileSync(join(directory, "engine", file?.slice(7) ?? ""), "utf8");
    const inline = [...html.matchAll(/<script[^>]*>(.+?)<\/script>/gs)].map(
      ([, text = ""]) => text,
    );
    const hashes = inline.map((text) => createHash("sha256").update(text).digest("base64"));
    expect(hashes).toHaveLength(1);
    expect(headers?.["Content-Security-Policy"]).toContain(
      `script-src 'self' 'sha256-${hashes[0]}';`,
    );
    expect(headers?.["Content-Security-Policy"]).not.toContain("unsafe");
    expect(html).not.toMatch(/ (style|on\w+)=/);
  });

  it("name the workspace, and the file with the last used one if it exists", () => {
    const last = join(directory, "last");
    const startOf = () => JSON.parse(rulesOf(last).get("/play/start.json")?.response_content ?? "");
    expect(startOf()).toEqual({ name: 'a "b"', questions: QUESTIONS });
    writeFileSync(last, directory);
    expect(startOf()).toEqual({ name: 'a "b"', directory, questions: QUESTIONS });
    expect(rulesOf(last).get("/play/last")?.response_content).toBe("file://../last");
  });
});

test.each(QUESTIONS)("$title names columns of its statement", ({ title, about, chart, sql }) => {
  expect(title).toMatch(/\?$/);
  expect(about).toMatch(/\.$/);
  for (const name of [chart.value, chart.label]) expect(sql).toMatch(new RegExp(`\\b${name}\\b`));
});
