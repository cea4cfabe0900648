import { expect, test } from "vitest";
import { parse } from "yaml";
import { blocksOf, COMMAND_PAGES, shellBlocks } from "../../support/page-blocks.ts";
import { projectFiles, textOf } from "./pages.ts";

const tests = projectFiles("test/**/*.test.ts");
const stackTests = tests.filter((file) => file.startsWith("test/stack/"));

test("a comment above a block sets its place", () => {
  const text = [
    "```sh\nmake demo\n```",
    "<!-- on the stack -->\n```sh\nmake up\n```",
    "<!-- by name: takes minutes -->\n```sh\nmake bench\n```",
  ].join("\n\n");
  expect(blocksOf(text).map(({ code, place, reason }) => [code, place, reason])).toEqual([
    ["make demo", "here", undefined],
    ["make up", "stack", undefined],
    ["make bench", "name", "takes minutes"],
  ]);
});

test("every comment that sets a place is above a block, and every block by name has a reason", () => {
  for (const page of COMMAND_PAGES) {
    // Without the marks around generated parts.
    const comments = textOf(page).match(/<!-- (?!\w+: scripts\/|end of ).*?-->/gs) ?? [];
    const placed = blocksOf(textOf(page)).filter(({ place }) => place !== "here");
    expect([page, placed.length]).toEqual([page, comments.length]);
    const withoutReason = placed.filter(({ place, reason }) => place === "name" && !reason);
    expect(withoutReason.map(({ code }) => `${page}: ${code}`)).toEqual([]);
  }
});

/** Places of blocks that the stack level runs, such as `docs/how-to/rotate-secrets.md 0`. */
function runOnStack(): Set<string> {
  const found = stackTests.flatMap((file) => {
    const text = textOf(file).replaceAll(/\bPAGE\b/g, "page");
    let page = "";
    const calls = /page = "(docs\/[^"]+)"|PageBlock\(\s*\w+,\s*(?:page|"(docs\/[^"]+)"),\s*(\d+)/gi;
    return [...text.matchAll(calls)].flatMap(([, named, literal, index]) => {
      page = named ?? page;
      return index === undefined ? [] : [`${literal ?? page} ${index}`];
    });
  });
  return new Set(found);
}

test("the stack level runs every block that is marked so", () => {
  const marked = COMMAND_PAGES.flatMap((page) =>
    shellBlocks(page, "stack").map((_, index) => `${page} ${index}`),
  );
  expect(marked.length).toBeGreaterThan(10);
  expect([...runOnStack()].toSorted()).toEqual(marked.toSorted());
});

const inline = parse(textOf("test/unit/docs/inline-commands.yaml")) as {
  run: Record<string, string[]>;
  "by name": Record<string, string>;
};

test("each inline command of the recover pages has a test that runs it, or a reason", () => {
  const text = projectFiles("docs/how-to/recover/*.md").map(textOf).join("\n");
  const prose = text.replaceAll(/^```.*?^```/gms, "");
  const command = /`((?:YES=1 )?(?:make|(?:\.\/)?pipeline|npm|pulumi|docker|sudo|iconv) [^`\n]+)`/g;
  const prefix = /^\.\/pipeline( stack run --)?$/;
  const typed = [...prose.matchAll(command)].map(([, one = ""]) => one);
  const classified = [...Object.values(inline.run).flat(), ...Object.keys(inline["by name"])];
  const expected = new Set(typed.filter((one) => !prefix.test(one) && one !== "npm run"));
  expect(classified.toSorted()).toEqual([...expected].toSorted());
  expect(Object.keys(inline.run).filter((file) => !textOf(file))).toEqual([]);
});
