// What somebody likes, kept in this browser: the theme, whether single keys do something, whether
// the details are open. Nothing of it is about who they are, so it outlives signing out.

export type Theme = "system" | "light" | "dark";

const PLACE = "greenroom.prefs";

interface Kept {
  theme: Theme;
  keys: boolean;
  details: boolean;
}

export class Prefs {
  #kept = $state.raw<Kept>({ theme: "system", keys: true, details: true });
  /** Where the theme is set: the document, or the element on somebody else's page. */
  readonly #root: HTMLElement;

  constructor(root: HTMLElement) {
    this.#root = root;
    try {
      const found = JSON.parse(localStorage.getItem(PLACE) ?? "{}") as Partial<Kept>;
      this.#kept = { ...this.#kept, ...found };
    } catch {
      // Storage may be shut, or hold something old: then everything is as at first.
    }
    if (root === document.documentElement) this.#show();
  }

  get theme(): Theme {
    return this.#kept.theme;
  }

  set theme(theme: Theme) {
    this.#keep({ theme });
    this.#show();
  }

  get keys(): boolean {
    return this.#kept.keys;
  }

  set keys(keys: boolean) {
    this.#keep({ keys });
  }

  get details(): boolean {
    return this.#kept.details;
  }

  set details(details: boolean) {
    this.#keep({ details });
  }

  #keep(change: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...change };
    try {
      localStorage.setItem(PLACE, JSON.stringify(this.#kept));
    } catch {
      // It holds until the tab is closed.
    }
  }

  #show(): void {
    if (this.theme === "system") delete this.#root.dataset["theme"];
    else this.#root.dataset["theme"] = this.theme;
  }
}
