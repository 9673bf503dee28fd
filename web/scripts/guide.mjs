// Writes the code of docs/guides/client.md as a function, which svelte-check checks and
// tests/guide.test.ts runs.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

export function writeGuide() {
  const guide = readFileSync(`${root}../docs/guides/client.md`, "utf8");
  const blocks = [...guide.matchAll(/```ts\n(.*?)```/gs)].map((found) => found[1]);
  const code = blocks.join("\n").replace(/^import .*\n/gm, "");
  const given = "api: string, freshToken: () => Promise<string>, threadId: string";
  mkdirSync(`${root}tests/guide`, { recursive: true });
  writeFileSync(
    `${root}tests/guide/code.ts`,
    `import { createClient, isProblem } from "../../src/client";\n\n` +
      `export async function guide(${given}) {\n${code}\nreturn { client, conversation, shown };\n}\n`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeGuide();
