// Generates hostile texts from a seed: repeated and mixed pieces of markup, combining marks and addresses.
// tests/hostile_texts.py does the same for the server.
const PIECES = [
  ..."*_~`[]()!<>\\#-+=|:.@&\"'/ \t\n1aéx",
  ..."\u0301\u0489\u302e\u200d\u200e\u3164\u2800\ufdfa",
  ...["**", "__", "~~", "```", "``", "](", "[x]", "[x](", "](https://e.org)", "[a](https://e.org/", "![", "]:"],
  ...["> ", "- ", "* ", "1. ", "\n\n", "\n> ", "\n- ", "\n```\n", "    ", "a*", "*a", "a _", "_ a", " *a", "a* "],
  ...["https://", "http://a(", "https://e.org", "xhttps://e", "mailto:a@b.org", "@bob", "@b.", "..", "a.b", "://"],
  ...["\\*", "\\`", "`x", "x`", "😀", "字", "𝕏", "&lt;", "<b>", "(b)", "((", "*_", "_*", "~~*", "**_"],
];
const MOST = 8000;

export interface Hostile {
  text: string;
  seed: number;
}

export function* hostileTexts(from: number, count: number): Generator<Hostile> {
  for (let seed = from; seed < from + count; seed += 1) {
    const next = random(seed);
    const pick = (): string => PIECES[Math.floor(next() * PIECES.length)] ?? "";
    const parts: string[] = [];
    for (let n = 1 + Math.floor(next() * 5); n > 0; n -= 1) {
      const unit = Array.from({ length: 1 + Math.floor(next() * 3) }, pick).join("");
      const most = [1, 10, 300, 1000, MOST][Math.floor(next() * 5)] ?? 1;
      parts.push(unit.repeat(Math.ceil(most / Math.max(1, unit.length))));
    }
    yield { text: parts.join("").slice(0, MOST), seed };
  }
}

/** Every piece alone and between two others, repeated to the maximum length. */
export function* repeats(): Generator<string> {
  for (const piece of PIECES) {
    yield piece.repeat(Math.ceil(MOST / piece.length)).slice(0, MOST);
    yield `a ${piece.repeat(2000)}x`.slice(0, MOST);
    yield `${`${piece}a `.repeat(1500)}${` a${piece}`.repeat(1500)}`.slice(0, MOST);
    yield `a ${piece.repeat(1000)}${"x".repeat(1000)}`.slice(0, MOST);
  }
}

/** Mulberry32. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
