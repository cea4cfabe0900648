const VOID = new Set(["meta", "br", "hr", "img", "input", "link"]);
const TAG = /<(\/?)([a-zA-Z][\w:-]*)((?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(\/?)>/y;
const ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-f]+);)/i;
const LOADING = ["src", "srcset", "href", "xlink:href", "action", "formaction", "data", "poster"];

/**
 * Lists the errors of a page: unclosed tags, stray angle brackets and ampersands, duplicate ids and
 * attributes, scripts, event handlers, and external references.
 */
export function faultsOf(page: string): string[] {
  const faults: string[] = [];
  const open: string[] = [];
  const ids = new Set<string>();
  const text = page
    .replace(/^<!DOCTYPE html>/, "")
    .replace(/(<style\b[^>]*>)([\s\S]*?)(<\/style>)/g, (_, start, css: string, end) => {
      if (/url\(|@import|expression\(/i.test(css))
        faults.push("the style sheet has an external reference");
      return start + end;
    });
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf("<", at);
    const plain = text.slice(at, next < 0 ? undefined : next);
    if (ENTITY.test(plain)) faults.push(`stray ampersand in: ${plain.slice(0, 60)}`);
    if (next < 0) break;
    TAG.lastIndex = next;
    const [tag = "", closing, name = "", attributes = "", selfClosing] = TAG.exec(text) ?? [];
    if (tag === "") return [...faults, `no tag: ${text.slice(next, next + 80)}`];
    at = next + tag.length;
    if (closing) {
      const last = open.pop();
      if (last !== name) return [...faults, `</${name}> closes <${last}>`];
    } else {
      if (!selfClosing && !VOID.has(name.toLowerCase())) open.push(name);
      faults.push(...attributeFaults(name, attributes, ids));
    }
  }
  return open.length > 0 ? [...faults, `not closed: ${open.join(", ")}`] : faults;
}

function attributeFaults(tag: string, text: string, ids: Set<string>): string[] {
  const faults = ["script", "iframe", "object", "embed", "base", "form"].includes(tag.toLowerCase())
    ? [`<${tag}> is not allowed`]
    : [];
  const seen = new Set<string>();
  for (const [, name = "", value = ""] of text.matchAll(/([\w:-]+)(?:="([^"]*)")?/g)) {
    const lower = name.toLowerCase();
    if (seen.has(lower)) faults.push(`${lower} twice in <${tag}>`);
    seen.add(lower);
    if (ENTITY.test(value)) faults.push(`stray ampersand in ${lower}="${value}"`);
    if (lower.startsWith("on")) faults.push(`handler ${lower}`);
    if (LOADING.includes(lower) && !value.startsWith("#")) faults.push(`${lower}="${value}"`);
    if (lower === "style" && /url\(/i.test(value)) faults.push(`style="${value}"`);
    if (lower === "id" && ids.has(value)) faults.push(`id "${value}" twice`);
    if (lower === "id") ids.add(value);
  }
  return faults;
}
