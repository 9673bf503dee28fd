// Writes each file of the build once more, compressed, for the server to give out as it is.
//
// What one would get wrong: once for all at the highest setting, here and not with every request;
// and not what is small anyway, where it only costs a look.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const WORTH_IT = 512;
// From here on the highest setting takes ten seconds.
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
