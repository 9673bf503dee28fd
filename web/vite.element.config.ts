// Builds <greenroom-inbox>: the embeddable inbox as a single script, next to the app's build.
//
// Careful: other sites link to its name, so it has no hash and must contain everything. Only the shared
// worker is a separate file; if it cannot be loaded, each page has its own connection.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { compress } from "./compress.ts";

export default defineConfig({
  plugins: [svelte(), compress()],
  base: "/",
  publicDir: false,
  build: {
    outDir: "../greenroom/api/web/built",
    emptyOutDir: false,
    assetsInlineLimit: 0,
    modulePreload: false,
    target: "es2022",
    reportCompressedSize: false,
    rolldownOptions: {
      input: "src/element.ts",
      output: { entryFileNames: "greenroom-inbox.js", codeSplitting: false },
    },
  },
  worker: { format: "es" },
});
