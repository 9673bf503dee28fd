// The registry of pages: routes and navigation are built from what the pages export.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AppContext } from "../src/app/appContext.svelte";
import { collectPages, findRoute, matchPath, navEntries, type Page, visiblePages } from "../src/app/pages";
import { folderOf, inboxAddress } from "../src/inbox/folders";

function fakePage(name: string, paths: string[], more: Partial<Page> = {}): Page {
  const load = async (): Promise<never> => Promise.reject(new Error("not loaded in this test"));
  return { name, paths, href: `/${name}`, title: "nav.inbox", view: { load }, ...more };
}

const entry = (order: number, href: string) =>
  ({ section: "pages", order, href, label: "nav.inbox", icon: "inbox", isCurrent: () => false }) as const;

const PAGES = collectPages({
  "../inbox/page.embed.ts": { page: fakePage("inbox", ["/", "/inbox/:thread?"]) },
  "../reports/page.ts": { page: fakePage("reports", ["/reports"], { nav: [entry(2, "/reports")] }) },
  "../staff/page.ts": {
    page: fakePage("staff", ["/staff"], { nav: [entry(1, "/staff")], isVisible: (app) => app.isModerator }),
  },
});

const nameAt = (address: string): string | undefined => findRoute(PAGES, address).page?.name;

test("a path finds the page that registered it", () => {
  assert.equal(nameAt("/"), "inbox");
  assert.equal(nameAt("/inbox"), "inbox");
  assert.equal(nameAt("/inbox/"), "inbox");
  assert.equal(nameAt("/inbox/thr_1?folder=spam"), "inbox");
  assert.equal(nameAt("/reports"), "reports");
});

test("any other path finds no page", () => {
  for (const path of ["/other", "/inbox/thr_1/more", "/reports/1", "/inbox/%E0%A4%A"]) {
    assert.equal(findRoute(PAGES, path).page, null, path);
  }
});

test("parameters are decoded, and may be optional", () => {
  assert.deepEqual(matchPath("/inbox/:thread?", "/inbox/a%20b"), { thread: "a b" });
  assert.deepEqual(matchPath("/inbox/:thread?", "/inbox"), {});
  assert.equal(matchPath("/cases/:case", "/cases"), null);
});

test("the folder is part of the query", () => {
  assert.equal(folderOf(findRoute(PAGES, inboxAddress("spam", "thr_1"))), "spam");
  assert.equal(folderOf(findRoute(PAGES, "/inbox?folder=unknown")), "all");
});

test("navigation entries are sorted, and those of hidden pages are left out", () => {
  const hrefs = (isModerator: boolean): string[] =>
    navEntries(visiblePages(PAGES, { isModerator } as AppContext), "pages").map((one) => one.href);
  assert.deepEqual(hrefs(true), ["/staff", "/reports"]);
  assert.deepEqual(hrefs(false), ["/reports"]);
});
