// Parses the inline markup of a message: code, links, mentions, bold, italic and strike.
//
// Careful: the input is untrusted. Each character is read a bounded number of times, so that parsing
// takes linear time; and nesting has a maximum depth, beyond which markup is text.

export type Inline =
  | { is: "text"; text: string }
  | { is: "code"; text: string }
  | { is: "mention"; text: string }
  | { is: "break" }
  | { is: "link"; href: string; inside: Inline[] }
  | { is: "strong" | "em" | "del"; inside: Inline[] };

const DEEPEST = 8;
const LONGEST_LABEL = 500;
const LONGEST_TARGET = 2000;
const SPECIAL = /[\\`*_~[@\n]|https?:\/\//gi;
const ESCAPED = /[!-/:-@[-`{-~]/;
const SCHEME = /(?:https?:\/\/|mailto:)(?=[^\s()])/iy;
const URL_TEXT = /https?:\/\/[^\s<>"`]+/iy;
const NAME = /[A-Za-z][A-Za-z0-9_.]{1,29}(?![\p{L}\p{N}_@])/uy;
const WORD = /[\p{L}\p{N}]/u;
const BLANK = /\s/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const BEFORE_MENTION = /[\p{L}\p{N}_@.+%=/\\-]/u;
/** What looks like an address: a name, a dot and another name, or a scheme. */
const ADDRESS = /[\p{L}\p{N}][.\u3002]+[\p{L}\p{N}]|:\/\/|@/u;
/** Characters that look like a dot and that NFKC does not map to the full stop. */
const DOT_ALIKE = /[\u0701\u0702\ua4f8\ua4fa\ua60e\u{10a50}\u{1d16d}]/gu;
/** Arabic zeros look like dots between Latin letters. */
const ZERO_ALIKE = /([A-Za-z])[\u0660\u06f0](?=[A-Za-z])/gu;
/** Invisible characters: format characters, combining marks, thin spaces. */
const UNSEEN =
  /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{M}\u1680\u2000-\u200a\u202f\u205f\u2800]/gu;

/** A run of `*`, `_` or `~` that may open emphasis, and what follows it. */
interface Frame {
  sign: string;
  count: number;
  inside: Inline[];
  /** The depth of `inside`. */
  deep: number;
}

/** The starts of runs of one length, and how many were passed. */
interface Runs {
  readonly starts: number[];
  passed: number;
}

export function inline(text: string): Inline[] {
  return new Parser(text, false).parse();
}

class Parser {
  readonly #text: string;
  readonly #inLink: boolean;
  readonly #frames: Frame[] = [{ sign: "", count: 0, inside: [], deep: 0 }];
  /** For each sign, the indexes of its runs in `#frames`. */
  readonly #open: Record<string, number[]> = { "*": [], _: [], "~": [] };
  #at = 0;
  /** For each length of a backtick run, its starts; filled at the first backtick. */
  #ticks: Map<number, Runs> | null = null;
  /** For each position the next bracket; filled at the first link. */
  #brackets: Int32Array | null = null;

  constructor(text: string, inLink: boolean) {
    this.#text = text;
    this.#inLink = inLink;
  }

  parse(): Inline[] {
    SPECIAL.lastIndex = 0;
    for (let found = this.#next(); found !== null; found = this.#next()) {
      if (found.index > this.#at) this.#say(this.#text.slice(this.#at, found.index));
      this.#at = found.index;
      this.#take(found[0]);
    }
    this.#say(this.#text.slice(this.#at));
    this.#collapse(0);
    return this.#frames[0]?.inside ?? [];
  }

  #next(): RegExpExecArray | null {
    SPECIAL.lastIndex = this.#at;
    return SPECIAL.exec(this.#text);
  }

  #take(sign: string): void {
    const after = this.#text[this.#at + 1] ?? "";
    switch (sign) {
      case "\n":
        return this.#add({ is: "break" }, 1);
      case "\\":
        return ESCAPED.test(after) ? this.#literally(after, 2) : this.#literally("\\", 1);
      case "`":
        return this.#code();
      case "[":
        return this.#link();
      case "@":
        return this.#mention();
      case "*":
      case "_":
      case "~":
        return this.#delimiter(sign);
      default:
        return this.#url();
    }
  }

  #code(): void {
    const length = run(this.#text, this.#at);
    const from = this.#at + length;
    const runs = (this.#ticks ??= runsOfTicks(this.#text)).get(length);
    while (runs && (runs.starts[runs.passed] ?? from) < from) runs.passed += 1;
    const end = runs?.starts[runs.passed];
    if (end === undefined) return this.#literally("`".repeat(length), length);
    const text = this.#text.slice(from, end);
    this.#add({ is: "code", text: text.trim() || text }, end + length - this.#at);
  }

  #link(): void {
    const end = this.#labelEnd();
    const target = end === null ? null : targetAt(this.#text, end + 2);
    if (end === null || target === null) return this.#literally("[", 1);
    const inside = new Parser(this.#text.slice(this.#at + 1, end), true).parse();
    const taken = end + 2 + target.length + 1 - this.#at;
    for (const node of linkOf(target, inside)) this.#add(node, 0);
    this.#at += taken;
  }

  /** The end of the label that starts here, if a target follows. */
  #labelEnd(): number | null {
    if (this.#inLink) return null;
    this.#brackets ??= nextBrackets(this.#text);
    const end = this.#brackets[this.#at + 1] ?? -1;
    const length = end - this.#at - 1;
    if (end === -1 || length < 1 || length > LONGEST_LABEL) return null;
    if (this.#text[end] !== "]" || this.#text[end + 1] !== "(") return null;
    return this.#text.slice(this.#at + 1, end).trim() === "" ? null : end;
  }

  #url(): void {
    const inWord = WORD.test(before(this.#text, this.#at));
    URL_TEXT.lastIndex = this.#at;
    const found = this.#inLink || inWord ? "" : (URL_TEXT.exec(this.#text)?.[0] ?? "");
    const href = trimmed(found);
    if (href === "" || /^https?:\/\/$/i.test(href)) {
      return this.#literally(this.#text.slice(this.#at, this.#at + 4), 4);
    }
    this.#add({ is: "link", href, inside: [{ is: "text", text: href }] }, href.length);
  }

  /** A final dot belongs to the sentence. */
  #mention(): void {
    NAME.lastIndex = this.#at + 1;
    const name = NAME.exec(this.#text)?.[0].replace(/\.{1,29}$/, "") ?? "";
    const fits = name.length > 1 && !BEFORE_MENTION.test(before(this.#text, this.#at));
    if (!fits) return this.#literally("@", 1);
    this.#add({ is: "mention", text: `@${name}` }, name.length + 1);
  }

  /** CommonMark's rules for `_`, applied to all signs: no emphasis inside words. */
  #delimiter(sign: string): void {
    const count = run(this.#text, this.#at);
    const [left, right] = [before(this.#text, this.#at), after(this.#text, this.#at + count)];
    const opens = flanks(left, right);
    const closes = flanks(right, left);
    this.#at += count;
    if (sign === "~" && count !== 2) return this.#say(sign.repeat(count));
    let rest = count;
    if (closes && (!opens || isPunctuation(right))) rest = this.#close(sign, count);
    if (rest === 0) return;
    if (opens && (!closes || isPunctuation(left))) this.#push(sign, rest);
    else this.#say(sign.repeat(rest));
  }

  #push(sign: string, count: number): void {
    this.#open[sign]?.push(this.#frames.length);
    this.#frames.push({ sign, count, inside: [], deep: 0 });
  }

  /** Closes the last run of the same sign; returns how many signs are left. */
  #close(sign: string, count: number): number {
    const open = this.#open[sign] ?? [];
    let left = count;
    for (let at = open.at(-1); left > 0 && at !== undefined; at = open.at(-1)) {
      const frame = this.#frames[at];
      if (frame === undefined) break;
      this.#collapse(at);
      if (frame.deep >= DEEPEST) {
        this.#collapse(0);
        break;
      }
      const used = left >= 2 && frame.count >= 2 ? 2 : 1;
      const is = sign === "~" ? "del" : used === 2 ? "strong" : "em";
      frame.inside = [{ is, inside: frame.inside }];
      frame.deep += 1;
      frame.count -= used;
      left -= used;
      if (frame.count === 0) this.#collapse(at - 1);
    }
    return left;
  }

  /** Turns runs that were opened after `keep` and never closed into text. */
  #collapse(keep: number): void {
    const into = this.#frames[keep];
    if (into === undefined) return;
    for (const frame of this.#frames.splice(keep + 1)) {
      if (frame.sign !== "") this.#open[frame.sign]?.pop();
      if (frame.count > 0) append(into.inside, frame.sign.repeat(frame.count));
      for (const node of frame.inside) {
        if (node.is === "text") append(into.inside, node.text);
        else into.inside.push(node);
      }
      into.deep = Math.max(into.deep, frame.deep);
    }
  }

  #literally(text: string, taken: number): void {
    this.#say(text);
    this.#at += taken;
  }

  #say(text: string): void {
    if (text !== "") append(this.#top().inside, text);
  }

  #add(node: Inline, taken: number): void {
    this.#top().inside.push(node);
    this.#at += taken;
  }

  #top(): Frame {
    return this.#frames[this.#frames.length - 1] as Frame;
  }
}

/** If the label looks like another address, it stays text, and the real address becomes the link. */
function linkOf(href: string, inside: Inline[]): Inline[] {
  const label = inside.map(labelText).join("");
  if (!ADDRESS.test(asSeen(label)) || isSamePlace(label, href)) return [{ is: "link", href, inside }];
  return [
    { is: "text", text: `${label} (` },
    { is: "link", href, inside: [{ is: "text", text: href }] },
    { is: "text", text: ")" },
  ];
}

/** The label as it looks to a reader.
 *
 * Careful: normalising takes quadratic time in combining marks. They are removed first, and labels are short. */
function asSeen(label: string): string {
  const dotted = label.replace(DOT_ALIKE, ".").replace(UNSEEN, "").replace(ZERO_ALIKE, "$1.");
  return dotted.normalize("NFKC").replace(UNSEEN, "");
}

function labelText(node: Inline): string {
  if (node.is === "break") return " ";
  return "text" in node ? node.text : node.inside.map(labelText).join("");
}

function isSamePlace(label: string, href: string): boolean {
  const [shown, real] = [placeOf(label.trim()), placeOf(href)];
  return shown !== null && shown === real;
}

/** The host of a URL, or a whole mail address; null if it is neither. */
function placeOf(address: string): string | null {
  const mail = /^(?:mailto:)?([^\s@:/?#]{1,64}@[^\s@:/?#]{1,255})$/i.exec(address)?.[1];
  if (mail !== undefined) return mail.toLowerCase();
  if (/\s|^mailto:/i.test(address)) return null;
  try {
    const url = new URL(/^https?:\/\//i.test(address) ? address : `https://${address}`);
    return url.username === "" && url.password === "" ? url.host.replace(/^www\./, "") : null;
  } catch {
    return null;
  }
}

/** The address in the parentheses that open before `at`; it may contain one pair. */
function targetAt(text: string, at: number): string | null {
  SCHEME.lastIndex = at;
  if (!SCHEME.test(text)) return null;
  const last = Math.min(text.length, at + LONGEST_TARGET);
  let inside = false;
  for (let end = at; end < last; end += 1) {
    const sign = text[end] ?? "";
    if (sign === "(" ? inside : BLANK.test(sign)) return null;
    if (sign === ")" && !inside) return text.slice(at, end);
    if (sign === "(" || sign === ")") inside = sign === "(";
  }
  return null;
}

/** Without trailing punctuation. */
function trimmed(url: string): string {
  let end = url.length;
  let unclosed = 0;
  for (const sign of url) unclosed += sign === "(" ? 1 : sign === ")" ? -1 : 0;
  for (; end > 0; end -= 1) {
    const sign = url[end - 1] ?? "";
    if (sign === ")" && unclosed >= 0) break;
    if (!".,;:!?)]'*_~".includes(sign)) break;
    if (sign === ")") unclosed += 1;
  }
  return url.slice(0, end);
}

function runsOfTicks(text: string): Map<number, Runs> {
  const runs = new Map<number, Runs>();
  for (let at = text.indexOf("`"); at !== -1; ) {
    const length = run(text, at);
    const same = runs.get(length);
    if (same) same.starts.push(at);
    else runs.set(length, { starts: [at], passed: 0 });
    at = text.indexOf("`", at + length);
  }
  return runs;
}

function nextBrackets(text: string): Int32Array {
  const next = new Int32Array(text.length + 1).fill(-1);
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const sign = text[at];
    next[at] = sign === "[" || sign === "]" ? at : (next[at + 1] ?? -1);
  }
  return next;
}

/** How often the character at this position repeats. */
function run(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && text[end] === text[at]) end += 1;
  return end - at;
}

/** Whether a run may open: text follows, and it is not at the end of a word. */
function flanks(left: string, right: string): boolean {
  if (right === "" || BLANK.test(right)) return false;
  return !isPunctuation(right) || left === "" || BLANK.test(left) || isPunctuation(left);
}

function isPunctuation(sign: string): boolean {
  return sign !== "" && PUNCTUATION.test(sign);
}

function before(text: string, at: number): string {
  const code = text.charCodeAt(at - 1);
  const isLow = code >= 0xdc00 && code <= 0xdfff;
  return at === 0 ? "" : text.slice(isLow ? at - 2 : at - 1, at);
}

function after(text: string, at: number): string {
  return at >= text.length ? "" : String.fromCodePoint(text.codePointAt(at) ?? 0);
}

function append(nodes: Inline[], text: string): void {
  const last = nodes.at(-1);
  if (last?.is === "text") last.text += text;
  else nodes.push({ is: "text", text });
}
