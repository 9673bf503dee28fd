// Parses a message's Markdown into a small tree: bold, italic, strike, code, quotes, lists, links
// (docs/reference/markup.md). Markdown.svelte renders it as elements, never as an HTML string.
//
// Careful: the input is untrusted. Parsing takes linear time, and nested quotes have a maximum depth; the
// rest is text.
import { inline, type Inline } from "./inline";

export type { Inline } from "./inline";

export type Block =
  | { is: "paragraph"; inside: Inline[] }
  | { is: "quote"; inside: Block[] }
  | { is: "list"; ordered: boolean; start: number; items: Inline[][] }
  | { is: "pre"; text: string };

const FENCE = /^\s*(`{3,})([^`]*)$/;
const LANGUAGE = /^[\w+-]{1,20}$/;
const QUOTE = /^\s{0,3}> ?/;
const ITEM = /^\s{0,3}(?:([-*+])|(\d{1,9})[.)])\s+/;
const DEEPEST = 8;

export function parse(body: string): Block[] {
  return blocks(body.split("\n"));
}

/** The text in one line, for previews, quotes and screen readers. */
export function plain(body: string): string {
  return parse(body).map(textOf).join(" ").replace(/\s+/g, " ").trim();
}

function blocks(lines: readonly string[], depth = 0): Block[] {
  const found: Block[] = [];
  const isQuote = (line: string): boolean => depth < DEEPEST && QUOTE.test(line);
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const fence = FENCE.exec(line);
    if (fence !== null) {
      const [, ticks = "", rest = ""] = fence;
      const to = until(lines, at, (one) => one.trim().startsWith(ticks));
      found.push(fenced(rest.trim(), lines.slice(at + 1, to)) ?? raw(lines.slice(at, to + 1)));
      at = to + 1;
    } else if (isQuote(line)) {
      const to = until(lines, at, (one) => !isQuote(one));
      found.push({
        is: "quote",
        inside: blocks(
          lines.slice(at, to).map((one) => one.replace(QUOTE, "")),
          depth + 1,
        ),
      });
      at = to;
    } else if (ITEM.test(line)) {
      const to = until(lines, at, (one) => !ITEM.test(one) && !/^\s+\S/.test(one));
      found.push(listOf(lines.slice(at, to)));
      at = to;
    } else if (line.trim() === "") {
      at += 1;
    } else {
      const to = until(
        lines,
        at,
        (one) => one.trim() === "" || isQuote(one) || FENCE.test(one) || ITEM.test(one),
      );
      found.push({ is: "paragraph", inside: inline(lines.slice(at, to).join("\n")) });
      at = to;
    }
  }
  return found;
}

/** A language name next to the fence is not shown; any other text there is part of the code.
 * Null if there is no text: an empty block would look like an empty message. */
function fenced(beside: string, lines: readonly string[]): Block | null {
  const isLanguage = LANGUAGE.test(beside) && lines.some((line) => line.trim() !== "");
  const text = (beside === "" || isLanguage ? lines : [beside, ...lines]).join("\n");
  return text.trim() === "" ? null : { is: "pre", text };
}

function raw(lines: readonly string[]): Block {
  return { is: "paragraph", inside: [{ is: "text", text: lines.join("\n") }] };
}

function until(lines: readonly string[], from: number, ends: (line: string) => boolean): number {
  let at = from + 1;
  while (at < lines.length && !ends(lines[at] ?? "")) at += 1;
  return at;
}

function listOf(lines: readonly string[]): Block {
  const first = ITEM.exec(lines[0] ?? "");
  const items: string[] = [];
  for (const line of lines) {
    if (ITEM.test(line)) items.push(line.replace(ITEM, ""));
    else items.push(`${items.pop() ?? ""}\n${line.trim()}`);
  }
  const number = first?.[2];
  return {
    is: "list",
    ordered: number !== undefined,
    start: Number(number ?? 1),
    items: items.map((one) => inline(one)),
  };
}

function textOf(node: Block | Inline): string {
  switch (node.is) {
    case "break":
      return " ";
    case "list":
      return node.items.map((item) => item.map(textOf).join("")).join(", ");
    case "text":
    case "code":
    case "mention":
    case "pre":
      return node.text;
    case "quote":
      return node.inside.map(textOf).join(" ");
    default:
      return node.inside.map(textOf).join("");
  }
}
