// Builds the web tests with Vite and runs them with Node's test runner.
//
// Careful: Node 20 has WebSocket only behind a flag.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { writeGuide } from "./guide.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
writeGuide();
const tests = readdirSync(`${root}tests`).filter((name) => name.endsWith(".test.ts"));
await build({
  root,
  configFile: false,
  logLevel: "warn",
  build: {
    ssr: true,
    outDir: ".tests",
    emptyOutDir: true,
    minify: false,
    target: "node20",
    rollupOptions: { input: tests.map((name) => `${root}tests/${name}`) },
  },
});
const built = tests.map((name) => `${root}.tests/${name.replace(/\.ts$/, ".js")}`);
const flags = ["--experimental-websocket", "--no-warnings", "--test", "--test-concurrency=2"];
const done = spawnSync(process.execPath, [...flags, ...process.argv.slice(2), ...built], {
  stdio: "inherit",
});
process.exit(done.status ?? 1);
