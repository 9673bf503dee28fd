// Preferences, stored in this browser: theme, single-key shortcuts, open details. They belong to no
// account and survive signing out.

export type Theme = "system" | "light" | "dark";

const STORAGE_KEY = "greenroom.prefs";

interface StoredPrefs {
  theme: Theme;
  keys: boolean;
  details: boolean;
}

export class Prefs {
  #values = $state.raw<StoredPrefs>({ theme: "system", keys: true, details: true });
  /** The element that gets the theme: the document, or <greenroom-inbox> in another site. */
  readonly #root: HTMLElement;

  constructor(root: HTMLElement) {
    this.#root = root;
    try {
      const found = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}") as Partial<StoredPrefs>;
      this.#values = { ...this.#values, ...found };
    } catch {
      // Storage is blocked or holds something outdated: the defaults apply.
    }
    if (root === document.documentElement) this.#applyTheme();
  }

  get theme(): Theme {
    return this.#values.theme;
  }

  set theme(theme: Theme) {
    this.#save({ theme });
    this.#applyTheme();
  }

  get keys(): boolean {
    return this.#values.keys;
  }

  set keys(keys: boolean) {
    this.#save({ keys });
  }

  get details(): boolean {
    return this.#values.details;
  }

  set details(details: boolean) {
    this.#save({ details });
  }

  #save(change: Partial<StoredPrefs>): void {
    this.#values = { ...this.#values, ...change };
    try {
      localStorage.setItem(STORAGE_KEY, JSON.stringify(this.#values));
    } catch {
      // Storage is blocked or full: the change lasts until the tab is closed.
    }
  }

  #applyTheme(): void {
    if (this.theme === "system") delete this.#root.dataset["theme"];
    else this.#root.dataset["theme"] = this.theme;
  }
}
