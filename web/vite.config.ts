// The build goes into the Python package, so that one wheel serves the whole product.
//
// What one would get wrong: nothing may be inlined. The server's policy allows no inline script and
// no data: script, and a hashed file is cached for good while index.html never is.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { compress } from "./compress.ts";

export default defineConfig({
  plugins: [svelte(), compress()],
  base: "/",
  build: {
    outDir: "../greenroom/api/web/built",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    reportCompressedSize: false,
  },
  worker: { format: "es" },
  server: {
    proxy: {
      "/v1": { target: "http://127.0.0.1:8080", ws: true },
      "/demo": "http://127.0.0.1:8080",
    },
  },
});
