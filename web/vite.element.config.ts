// <greenroom-inbox>: the inbox in one script file, beside the app's own build.
//
// What one would get wrong: its name is part of other people's pages and has no hash, so whatever it
// loads must be in it; only the shared worker stands apart, and where that cannot be loaded from,
// each page has a connection of its own.
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
