// Writes pages.json next to index.html: the path patterns of all pages. The server answers 200 at these
// paths and 404 elsewhere, with the same app, so that it needs no list of its own.
//
// Careful: the paths are read from the source, so a page must write them as plain strings.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const PAGE_FILE = /(^|[\\/])page(\.embed)?\.ts$/;
const PATHS = /^ {2}paths: (\[[^\]]*\]),$/m;

export function pagePaths(): Plugin {
  let folder = "";
  return {
    name: "greenroom-page-paths",
    apply: "build",
    configResolved(config) {
      folder = join(config.root, "src");
    },
    generateBundle() {
      const source = JSON.stringify(readPagePaths(folder));
      this.emitFile({ type: "asset", fileName: "pages.json", source });
    },
  };
}

/** The paths of all pages below the folder. */
export function readPagePaths(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files
    .filter((name) => PAGE_FILE.test(name))
    .sort()
    .flatMap((name) => pathsIn(name, readFileSync(join(folder, name), "utf8")));
}

export function pathsIn(name: string, source: string): string[] {
  const found = PATHS.exec(source)?.[1];
  if (found === undefined) throw new Error(`${name} needs a line such as: paths: ["/inbox/:thread?"],`);
  return JSON.parse(found) as string[];
}
