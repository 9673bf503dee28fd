// The Markdown that a message may have, as a small tree: bold, italic, strike, code, quotes, lists,
// links. Elements are made of it by Markdown.svelte; nothing ever becomes HTML text.
//
// What one would get wrong: the server has escaped every `<` that opens anything to `&lt;`, in code as
// well, so that here it is turned back everywhere; and only http, https and mailto are links. And
// whoever writes decides how deep it is: quotes within quotes end at a depth, and the rest is text.

export type Inline =
  | { is: "text"; text: string }
  | { is: "code"; text: string }
  | { is: "mention"; text: string }
  | { is: "break" }
  | { is: "link"; href: string; inside: Inline[] }
  | { is: "strong" | "em" | "del"; inside: Inline[] };

export type Block =
  | { is: "paragraph"; inside: Inline[] }
  | { is: "quote"; inside: Block[] }
  | { is: "list"; ordered: boolean; start: number; items: Inline[][] }
  | { is: "pre"; text: string };

const FENCE = /^\s*(`{3,})([^`]*)$/;
const LANGUAGE = /^[\w+-]{1,20}$/;
const QUOTE = /^\s{0,3}> ?/;
const ITEM = /^\s{0,3}(?:([-*+])|(\d{1,9})[.)])\s+/;
const MOST = 2000;
const DEEPEST = 8;
/** Chosen in this order at each place; a run has a bound, so that no text takes long. */
const INLINE = new RegExp(
  [
    "\\\\(?<escaped>[!-/:-@\\[-`{-~])",
    `(?<ticks>\`+)(?<code>(?:(?!\\k<ticks>)[^]){1,${MOST}})\\k<ticks>`,
    "\\[(?<label>[^\\[\\]]{1,500})\\]\\((?<target>(?:https?:\\/\\/|mailto:)[^\\s()]+(?:\\([^\\s()]*\\)[^\\s()]*)*)\\)",
    '(?<url>https?:\\/\\/[^\\s<>"`]+)',
    `\\*\\*(?=\\S)(?<strong>[^]{1,${MOST}}?\\S|\\S)\\*\\*`,
    `(?<![\\p{L}\\p{N}_])__(?=\\S)(?<strong2>[^]{1,${MOST}}?)__(?![\\p{L}\\p{N}_])`,
    `~~(?=\\S)(?<del>[^]{1,${MOST}}?)~~`,
    `\\*(?=[^\\s*])(?<em>[^*]{1,${MOST}}?)\\*`,
    `(?<![\\p{L}\\p{N}_])_(?=\\S)(?<em2>[^_]{1,${MOST}}?)_(?![\\p{L}\\p{N}_])`,
    "(?<![\\p{L}\\p{N}_@.+/])@(?<mention>[A-Za-z][A-Za-z0-9_.]{1,29})",
    "(?<newline>\\n)",
  ].join("|"),
  "gu",
);

export function parse(body: string): Block[] {
  return blocks(body.split("\n"));
}

/** In one line, for previews, quotes and screen readers. */
export function plain(body: string): string {
  return parse(body).map(textOf).join(" ").replace(/\s+/g, " ").trim();
}

/** As it is edited: what was escaped for others is what its author typed. */
export function source(body: string): string {
  return body.replaceAll("&lt;", "<");
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
      const end = lines.findIndex((one, i) => i > at && one.trim().startsWith(ticks));
      const to = end === -1 ? lines.length : end;
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

/** The name of a language is not shown; whatever else stands beside the fence is part of the text.
 * Null where there is none: what shows nothing could not be told from nothing said. */
function fenced(beside: string, lines: readonly string[]): Block | null {
  const isLanguage = LANGUAGE.test(beside) && lines.some((line) => line.trim() !== "");
  const text = (beside === "" || isLanguage ? lines : [beside, ...lines]).join("\n");
  return text.trim() === "" ? null : { is: "pre", text: source(text) };
}

function raw(lines: readonly string[]): Block {
  return { is: "paragraph", inside: [words(lines.join("\n"))] };
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

function inline(text: string, inLink = false): Inline[] {
  const found: Inline[] = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index < at) continue;
    if (match.index > at) found.push(words(text.slice(at, match.index)));
    const [node, taken] = nodeOf(match, inLink);
    found.push(node);
    at = match.index + taken;
  }
  if (at < text.length) found.push(words(text.slice(at)));
  return found;
}

function nodeOf(match: RegExpMatchArray, inLink: boolean): [Inline, number] {
  const whole = match[0];
  const group = match.groups ?? {};
  const strong = group["strong"] ?? group["strong2"];
  const em = group["em"] ?? group["em2"];
  if (group["escaped"] !== undefined) return [words(group["escaped"]), whole.length];
  if (group["newline"] !== undefined) return [{ is: "break" }, 1];
  if (group["code"] !== undefined)
    return [{ is: "code", text: source(group["code"].trim() || group["code"]) }, whole.length];
  if (strong !== undefined) return [{ is: "strong", inside: inline(strong, inLink) }, whole.length];
  if (em !== undefined) return [{ is: "em", inside: inline(em, inLink) }, whole.length];
  if (group["del"] !== undefined)
    return [{ is: "del", inside: inline(group["del"], inLink) }, whole.length];
  if (group["mention"] !== undefined) return mention(group["mention"]);
  if (inLink) return [words(whole), whole.length];
  if (group["target"] !== undefined) {
    return [
      { is: "link", href: group["target"], inside: inline(group["label"] ?? "", true) },
      whole.length,
    ];
  }
  const href = whole.replace(/[.,;:!?)\]'*_~]+$/, "");
  return [{ is: "link", href, inside: [words(href)] }, href.length];
}

/** A dot at the end is the sentence's. */
function mention(name: string): [Inline, number] {
  const called = name.replace(/\.+$/, "");
  return [{ is: "mention", text: `@${called}` }, called.length + 1];
}

function words(text: string): Inline {
  return { is: "text", text: source(text) };
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
