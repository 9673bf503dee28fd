// The router. In the app the route is in the address bar; <greenroom-inbox> keeps it in memory,
// because the address bar belongs to the embedding site.
//
// A folder is not a page. It is a query parameter of the inbox, and stays while threads are opened
// and closed.
import type { Folder } from "../client";

export type Page = "inbox" | "new" | "moderation" | "settings" | "notFound";

export interface Route {
  page: Page;
  thread: string | null;
  folder: Folder;
  /** On the page for a new conversation: the recipient's user id. */
  to: string | null;
  /** On the moderation page: the user whose history is shown. */
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

  /** Follows the browser's Back and Forward; returns the function that stops it. */
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

  /** For links: handles a plain click; a click with a modifier key is left to the browser. */
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

/** Null if it is not valid: `%E0%A4%A` is half a character. */
function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
