// The pages of the app. Each feature exports its page from a file `page.ts`, or `page.embed.ts` if the
// page is also part of <greenroom-inbox>. The router and the navigation are built from these files, so
// that a new page is a new file.
import type { Component } from "svelte";
import type { PlainKey } from "../strings";
import type { AppContext } from "./appContext.svelte";
import type { ShortcutId } from "./keys";
import type { IconName } from "./ui/icons";

export type PageLoader = () => Promise<{ default: Component }>;

export interface Page {
  /** Unique; also the attribute `data-page`, for styles. */
  name: string;
  /** Path patterns, such as "/inbox/:thread?". */
  paths: readonly string[];
  /** Where links and the shortcut go. */
  href: string;
  title: PlainKey;
  /** The component itself if it is part of the first load, or a function that loads it. */
  view: { component: Component } | { load: PageLoader };
  /** The shortcut that opens the page. */
  shortcut?: ShortcutId;
  /** False hides the navigation entries and the shortcut. */
  isVisible?: (app: AppContext) => boolean;
  nav?: readonly NavEntry[];
}

export interface NavEntry {
  /** folders: the list at the top; pages: below it; account: the account menu. */
  section: "folders" | "pages" | "account";
  /** Entries of a section are sorted by it. */
  order: number;
  href: string;
  label: PlainKey;
  icon: IconName;
  /** The folder, as the attribute `data-folder`. */
  folder?: string;
  badge?: (app: AppContext) => { count: number; label: string; quiet: boolean };
  isCurrent: (route: Route) => boolean;
}

export interface Route {
  /** Null: no page has this path. */
  page: Page | null;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
}

/** The pages of `import.meta.glob(…, { eager: true })`. */
export function collectPages(modules: Record<string, unknown>): Page[] {
  return Object.values(modules).map((module) => (module as { page: Page }).page);
}

export function visiblePages(pages: readonly Page[], app: AppContext): Page[] {
  return pages.filter((page) => page.isVisible?.(app) ?? true);
}

export function navEntries(pages: readonly Page[], section: NavEntry["section"]): NavEntry[] {
  return pages
    .flatMap((page) => page.nav ?? [])
    .filter((entry) => entry.section === section)
    .sort((a, b) => a.order - b.order);
}

export function findRoute(pages: readonly Page[], address: string): Route {
  const url = new URL(address, "http://localhost");
  for (const page of pages) {
    for (const pattern of page.paths) {
      const params = matchPath(pattern, url.pathname);
      if (params !== null) return { page, params, query: url.searchParams };
    }
  }
  return { page: null, params: {}, query: url.searchParams };
}

/** The parameters in the path, or null if it does not match. A slash at the end is ignored. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const [wanted, given] = [segments(pattern), segments(path)];
  if (given.length > wanted.length) return null;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at];
    if (!part.startsWith(":")) {
      if (value !== part) return null;
    } else if (value !== undefined) {
      const decoded = decode(value);
      if (decoded === null) return null;
      params[part.replace(/^:|\?$/g, "")] = decoded;
    } else if (!part.endsWith("?")) {
      return null;
    }
  }
  return params;
}

function segments(path: string): string[] {
  const trimmed = path.replace(/^\/|\/+$/g, "");
  return trimmed === "" ? [] : trimmed.split("/");
}

/** Null if it is not valid: `%E0%A4%A` is half a character. */
function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
