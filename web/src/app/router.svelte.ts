// Where one is. In the app it is the address bar; in <greenroom-inbox> it is kept inside, because
// the page's address belongs to the page.
//
// What one would get wrong: a folder is no page of its own. It is a part of the inbox's address, and
// stays while threads are opened and closed in it.
import type { Folder } from "../client";

export type Page = "inbox" | "new" | "moderation" | "settings" | "notFound";

export interface Route {
  page: Page;
  thread: string | null;
  folder: Folder;
  /** On the page of a new conversation: with whom. */
  to: string | null;
  /** On the page of moderation: whose history. */
  person: string | null;
}

export const FOLDERS = [
  "all",
  "action",
  "bookings",
  "offers",
  "requests",
  "other",
  "archived",
  "hidden",
  "spam",
] as const satisfies readonly Folder[];

export class Router {
  #address = $state.raw("/inbox");
  readonly route = $derived(parseRoute(this.#address));
  readonly #inAddressBar: boolean;

  constructor(inAddressBar: boolean) {
    this.#inAddressBar = inAddressBar;
    if (inAddressBar) this.#address = location.pathname + location.search;
  }

  /** Returns what ends it. */
  listen(): () => void {
    if (!this.#inAddressBar) return () => undefined;
    const look = (): void => void (this.#address = location.pathname + location.search);
    addEventListener("popstate", look);
    return () => removeEventListener("popstate", look);
  }

  go(address: string, { replace = false } = {}): void {
    if (address === this.#address) return;
    this.#address = address;
    if (!this.#inAddressBar) return;
    if (replace) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
  }

  inbox(folder: Folder = this.route.folder, thread: string | null = null): void {
    this.go(inboxAddress(folder, thread));
  }

  /** For links: a plain click stays in the app, any other is the browser's. */
  follow = (event: MouseEvent): void => {
    const link = event.currentTarget as HTMLAnchorElement;
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return;
    event.preventDefault();
    this.go(link.getAttribute("href") ?? "/inbox");
  };
}

export function inboxAddress(folder: Folder, thread: string | null): string {
  const path = thread === null ? "/inbox" : `/inbox/${encodeURIComponent(thread)}`;
  return folder === "all" ? path : `${path}?folder=${folder}`;
}

function parseRoute(address: string): Route {
  const url = new URL(address, "http://here");
  const [first = "", second = "", third] = url.pathname.split("/").slice(1);
  const wanted = url.searchParams.get("folder");
  const folder = FOLDERS.find((name) => name === wanted) ?? "all";
  const [to, person] = [url.searchParams.get("to"), url.searchParams.get("person")];
  const at = { folder, thread: null, to, person };
  if (third !== undefined && third !== "") return { ...at, page: "notFound" };
  if (first === "" || first === "inbox") {
    const thread = decode(second);
    return thread === null ? { ...at, page: "notFound" } : { ...at, page: "inbox", thread: thread || null };
  }
  if (second === "" && (first === "new" || first === "moderation" || first === "settings")) {
    return { ...at, page: first };
  }
  return { ...at, page: "notFound" };
}

/** Null for what no address of ours can be: `%E0%A4%A` is half a letter. */
function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
