// Compresses the files of the build with Brotli and gzip at the highest level, so that the server can
// send them as they are. Small files are not worth it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const WORTH_IT = 512;
// Above this size the highest level takes ten seconds.
const LARGE = 1_000_000;
const TEXT = /\.(js|css|html|svg|json|webmanifest)$/;

export function compress(): Plugin {
  let folder = "";
  return {
    name: "greenroom-compress",
    apply: "build",
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
    },
    closeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (!TEXT.test(name) || existsSync(join(folder, `${name}.br`))) continue;
        const body = readFileSync(join(folder, name));
        if (body.length < WORTH_IT) continue;
        const quality = body.length > LARGE ? 9 : 11;
        const best = { params: { [constants.BROTLI_PARAM_QUALITY]: quality } };
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(body, best));
        writeFileSync(join(folder, `${name}.gz`), gzipSync(body, { level: 9 }));
      }
    },
  };
}
