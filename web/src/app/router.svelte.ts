// The router. In the app the route is in the address bar; <greenroom-inbox> keeps it in memory,
// because the address bar belongs to the embedding site.
import type { Folder } from "../client";
import { folderOf, inboxAddress } from "../inbox/folders";
import { findRoute, type Page } from "./pages";

export class Router {
  readonly pages: readonly Page[];
  #address = $state.raw("/inbox");
  readonly route = $derived.by(() => findRoute(this.pages, this.#address));
  readonly #inAddressBar: boolean;

  constructor(pages: readonly Page[], options: { inAddressBar: boolean }) {
    this.pages = pages;
    this.#inAddressBar = options.inAddressBar;
    if (options.inAddressBar) this.#address = location.pathname + location.search;
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

  inbox(folder: Folder = folderOf(this.route), thread: string | null = null): void {
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
