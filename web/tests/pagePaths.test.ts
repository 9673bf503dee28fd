// The manifest of page paths: what the build reads from the pages' sources for the server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pathsIn, readPagePaths } from "../pagePaths";

test("the paths of every page are found", () => {
  const found = readPagePaths("src");
  for (const path of ["/", "/inbox/:thread?", "/new", "/moderation", "/settings"]) {
    assert.ok(found.includes(path), path);
  }
  assert.equal(new Set(found).size, found.length);
});

test("a page whose paths cannot be read stops the build and is named", () => {
  assert.deepEqual(pathsIn("page.ts", 'export const page = {\n  paths: ["/a", "/b/:c?"],\n};'), ["/a", "/b/:c?"]);
  assert.throws(() => pathsIn("live/page.ts", "export const page = { paths: PATHS };"), /live\/page\.ts/);
});
