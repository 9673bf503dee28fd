// Builds the app into the Python package, so that one wheel contains everything.
//
// Careful: nothing may be inlined. The server's CSP allows no inline and no data: scripts. Hashed files
// are cached forever, index.html never.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { compress } from "./compress.ts";
import { pagePaths } from "./pagePaths.ts";

export default defineConfig({
  plugins: [svelte(), pagePaths(), compress()],
  base: "/",
  build: {
    outDir: "../greenroom/api/web/built",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    reportCompressedSize: false,
    // One file for the first load: it is smaller compressed than several that later pages share.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "app", tags: ["$initial"] }] } } },
  },
  worker: { format: "es" },
  server: {
    proxy: {
      "/v1": { target: "http://127.0.0.1:8080", ws: true },
      "/demo": "http://127.0.0.1:8080",
    },
  },
});
