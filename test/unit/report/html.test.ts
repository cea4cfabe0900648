import { expect, test } from "vitest";
import { escapeHtml, html, trusted } from "../../../report/html.ts";
import { table } from "../../../report/table.ts";
import { faultsOf } from "../../support/markup.ts";

const HOSTILE = `<script>alert("1")</script> & 'x'`;

test("values are escaped, in text and in attributes", () => {
  const text = html`<p title="${HOSTILE}">${HOSTILE}</p>`.text;
  expect(text).toBe(
    '<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;">&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;</p>',
  );
  expect(faultsOf(text)).toEqual([]);
});

test("HTML inside HTML stays unchanged, lists are joined, and nothing gives nothing", () => {
  const items = ["a", "<b>"].map((item) => html`<li>${item}</li>`);
  expect(html`<ul>${items}</ul>${null}${undefined}${false}${0}${trusted("<hr>")}`.text).toBe(
    "<ul><li>a</li><li>&lt;b&gt;</li></ul>0<hr>",
  );
});

test("characters that HTML does not allow are replaced", () => {
  expect(escapeHtml("a\u0000b\u001fc\nd\te\ud800")).toBe("a\ufffdb\ufffdc\nd\te\ufffd");
});

test("tables escape cells and header, and align numbers right", () => {
  const text = table(HOSTILE, [HOSTILE, "n"], [[HOSTILE, 1234]]).text;
  expect(faultsOf(text)).toEqual([]);
  expect(text).not.toContain("<script");
  expect(text).toContain('<td class="number">1,234</td>');
  expect(text).toContain('<th scope="col" class="number">n</th>');
});

test.each(["12.3 %", "4 s", "2 min 5 s", "–"])(
  "a column of quantities such as %s is aligned right",
  (value) => {
    expect(table("t", ["share"], [[value], ["1.0 %"]]).text).not.toMatch(
      /<t[hd](?: scope="col")?>/,
    );
  },
);

test("a column with a text beside quantities has its header at the left", () => {
  expect(table("t", ["share"], [["none"], ["1.0 %"]]).text).toContain('<th scope="col">share</th>');
});
