// The Markdown parser: the supported markup, and linear time on hostile texts.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block, Inline } from "../src/inbox/markdown";
import { parse, plain } from "../src/inbox/markdown";
import { hostileTexts, repeats } from "./hostileTexts";

const MOST_MS = 20;
const DEEPEST = 32;
const RUNS = 4;

/** As HTML, for readable assertions. */
function shown(body: string): string {
  return parse(body).map(block).join("");
}

function block(node: Block): string {
  switch (node.is) {
    case "paragraph":
      return `<p>${node.inside.map(piece).join("")}</p>`;
    case "quote":
      return `<q>${node.inside.map(block).join("")}</q>`;
    case "pre":
      return `<pre>${node.text}</pre>`;
    case "list":
      return `<${node.ordered ? `ol ${node.start}` : "ul"}>${node.items.map((one) => `<li>${one.map(piece).join("")}`).join("")}`;
  }
}

function piece(node: Inline): string {
  switch (node.is) {
    case "text":
      return node.text;
    case "break":
      return "<br>";
    case "code":
      return `<code>${node.text}</code>`;
    case "mention":
      return `{${node.text}}`;
    case "link":
      return `<a ${node.href}>${node.inside.map(piece).join("")}</a>`;
    default:
      return `<${node.is}>${node.inside.map(piece).join("")}</${node.is}>`;
  }
}

const LOOKS: readonly (readonly [string, string])[] = [
  ["**bold** *it* _it_ __bold__ ~~gone~~", "<strong>bold</strong> <em>it</em> <em>it</em> <strong>bold</strong> <del>gone</del>"],
  ["***both***", "<em><strong>both</strong></em>"],
  ["**a *b* c**", "<strong>a <em>b</em> c</strong>"],
  ["2*3*4 and a_b_c", "2*3*4 and a_b_c"],
  ["5**2**1 x~~y~~z a__init__b", "5**2**1 x~~y~~z a__init__b"],
  ["* a*b * c", "<ul><li>a*b * c"],
  ["a * b * c", "a * b * c"],
  ["(*a*), \"_b_\"!", "(<em>a</em>), \"<em>b</em>\"!"],
  ["*a **b* c**", "<em>a <em><em>b</em> c</em></em>"],
  ["# 1 choice", "# 1 choice"],
  ["<b>x</b> &lt;b> & &amp;", "<b>x</b> &lt;b> & &amp;"],
  ["`<b>` ``a ` b`` `unclosed", "<code><b></code> <code>a ` b</code> `unclosed"],
  ["\\*a\\* \\a C:\\dir", "*a* \\a C:\\dir"],
  ["hi @zoe. a@b.org @1 x@bob (@bob)", "hi {@zoe}. a@b.org @1 x@bob ({@bob})"],
  ["https://e.org/a_(b)?c=1, https://e.org.", "<a https://e.org/a_(b)?c=1>https://e.org/a_(b)?c=1</a>, <a https://e.org>https://e.org</a>."],
  ["(https://e.org)", "(<a https://e.org>https://e.org</a>)"],
  ["[our **place**](https://e.org/a_(b))", "<a https://e.org/a_(b)>our <strong>place</strong></a>"],
  ["[x](javascript:alert(1)) [x](/here) [x]( https://e.org)", "[x](javascript:alert(1)) [x](/here) [x]( <a https://e.org>https://e.org</a>)"],
  ["![x](https://e.org/i.png)", "!<a https://e.org/i.png>x</a>"],
  ["*a [b* c](https://e.org)", "*a <a https://e.org>b* c</a>"],
  ["a\nb", "a<br>b"],
];

test("inline markup", () => {
  for (const [typed, seen] of LOOKS) {
    assert.equal(shown(typed).replace(/^<p>([^]*)<\/p>$/, "$1"), seen, typed);
  }
});

test("block markup", () => {
  assert.equal(shown("a\n> b\n> > c\n\nd"), "<p>a</p><q><p>b</p><q><p>c</p></q></q><p>d</p>");
  assert.equal(shown("3. a\n4. b\n\n- c"), "<ol 3><li>a<li>b<ul><li>c");
  assert.equal(shown("```js\n*a*\n```\nb"), "<pre>*a*</pre><p>b</p>");
});

test("a link label cannot show another address", () => {
  const evil = "<a https://evil.example/>https://evil.example/</a>";
  for (const label of [
    "https://bank.example",
    "bank.example/login",
    "**bank.example**",
    "www.bank.example",
    "bank\uff0eexample",
    "Go to bank.example now",
    "mailto:help@bank.example",
    "https://evil.example@bank.example",
  ]) {
    const found = shown(`[${label}](https://evil.example/)`);
    assert.ok(found.includes(evil), found);
    assert.equal(found.match(/<a /g)?.length, 1, found);
  }
  for (const label of ["evil.example", "https://www.evil.example/x", "our place", "2.5 hours"]) {
    const found = shown(`[${label}](https://evil.example/)`);
    assert.ok(!found.includes(evil) || label === "2.5 hours", found);
  }
});

/** Every character except surrogates. */
function* characters(): Generator<string> {
  for (let code = 1; code <= 0x10ffff; code += 1) {
    if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code);
  }
}

test("hidden characters and dot lookalikes cannot disguise a link's address", () => {
  const evil = "<a https://evil.example/>https://evil.example/</a>";
  const labels = ["bank\u0660com", "bank\ua4f8com", "bank\u200a.com", "bank\uff1a\uff0f\uff0f"];
  for (const one of characters()) {
    if (/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]/u.test(one)) {
      labels.push(`bank${one}.com`, `bank.${one}com`, `bank${one}\uff0e${one}${one}com`);
    }
    if (/[.\u3002]/.test(one.normalize("NFKC"))) labels.push(`bank${one}com`);
  }
  assert.ok(labels.length > 10_000);
  for (const label of labels) {
    const found = shown(`[${label}](https://evil.example/)`);
    assert.ok(found.includes(evil), `${[...label].map((one) => one.codePointAt(0)?.toString(16))}`);
  }
});

test("an ordinary label is a link", () => {
  for (const label of ["Hello. World", "our place", "नमस्ते दुनिया", "❤️ see us", "٢٠٢٦", "col·lega", "Wait …"]) {
    assert.equal(shown(`[${label}](https://e.org/)`), `<p><a https://e.org/>${label}</a></p>`);
  }
});

test("only http, https and mailto become links", () => {
  const visit = (nodes: readonly (Inline | Block)[]): string[] =>
    nodes.flatMap((node) => [
      ...("href" in node ? [node.href] : []),
      ...("inside" in node ? visit(node.inside) : []),
      ...("items" in node ? node.items.flatMap(visit) : []),
    ]);
  for (const { text, seed } of hostileTexts(1, 300)) {
    for (const href of visit(parse(text))) assert.match(href, /^(?:https?:\/\/|mailto:)/i, `seed ${seed}`);
  }
});

test("all typed text is shown, except markup signs", () => {
  const bare = (text: string): string => text.replace(/[\s*_~`\\[\]()>+.-]|\d|https?:|mailto:|\//g, "");
  for (const { text, seed } of hostileTexts(1, 300)) {
    if (text.includes("](") || /^\s*[>`\d-]/m.test(text) || text.includes("```")) continue;
    assert.equal(bare(plain(text)), bare(text), `seed ${seed}`);
  }
});

test("hostile texts parse in linear time and bounded depth", () => {
  const deep = (nodes: readonly (Inline | Block)[]): number =>
    1 + Math.max(0, ...nodes.slice(0, 5000).map((node) => ("inside" in node ? deep(node.inside) : 0)));
  let worst = 0;
  for (const text of [...repeats(), ...[...hostileTexts(1, 400)].map((one) => one.text)]) {
    const took = least(() => parse(text));
    worst = Math.max(worst, took, least(() => plain(text)));
    assert.ok(took < MOST_MS, `${took} ms: ${JSON.stringify(text.slice(0, 60))}`);
    assert.ok(deep(parse(text)) < DEEPEST, JSON.stringify(text.slice(0, 60)));
  }
  assert.ok(worst < MOST_MS, `${worst} ms`);
  console.log(`the slowest text took ${worst.toFixed(2)} ms`);
});

/** CPU time, the minimum of a few runs, so that other load does not count. */
function least(work: () => unknown): number {
  let best = Infinity;
  for (let n = 0; n < RUNS && best > 1; n += 1) {
    const begun = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(begun);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
