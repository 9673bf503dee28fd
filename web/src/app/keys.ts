// Keyboard shortcuts: the table of keys, and the actions that components register for them.
//
// A component registers an action while it is mounted (`keys.on("pin", …)`); the latest one wins.
// Careful: single letters do nothing while the user types or holds Ctrl, Cmd or Alt, and they can be
// turned off (WCAG 2.1.4); Escape always works. A key that repeats while held down counts once, except
// for moving in a list.
import type { PlainKey } from "../strings";

export type Section = "anywhere" | "list" | "conversation" | "message" | "moderation";

export interface Shortcut {
  id: string;
  /** A sequence is separated by a space: "g i". */
  keys: readonly string[];
  section: Section;
  label: PlainKey;
}

export const SHORTCUTS = [
  { id: "help", keys: ["?"], section: "anywhere", label: "key.help" },
  { id: "new", keys: ["n"], section: "anywhere", label: "key.new" },
  { id: "goInbox", keys: ["g i"], section: "anywhere", label: "key.goInbox" },
  { id: "goModeration", keys: ["g m"], section: "anywhere", label: "key.goModeration" },
  { id: "goScheduled", keys: ["g l"], section: "anywhere", label: "key.goScheduled" },
  { id: "goSettings", keys: ["g s"], section: "anywhere", label: "key.goSettings" },
  { id: "close", keys: ["Escape"], section: "anywhere", label: "key.close" },
  { id: "next", keys: ["j"], section: "list", label: "key.next" },
  { id: "previous", keys: ["k"], section: "list", label: "key.previous" },
  {
    id: "folder",
    keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"],
    section: "list",
    label: "key.folder",
  },
  { id: "compose", keys: ["c"], section: "conversation", label: "key.compose" },
  { id: "pin", keys: ["p"], section: "conversation", label: "key.pin" },
  { id: "mute", keys: ["m"], section: "conversation", label: "key.mute" },
  { id: "archive", keys: ["e"], section: "conversation", label: "key.archive" },
  { id: "unread", keys: ["u"], section: "conversation", label: "key.unread" },
  { id: "accept", keys: ["y"], section: "conversation", label: "key.accept" },
  { id: "details", keys: ["d"], section: "conversation", label: "key.details" },
  { id: "newest", keys: ["End"], section: "conversation", label: "key.newest" },
  { id: "editLast", keys: ["ArrowUp"], section: "conversation", label: "key.editLast" },
  { id: "messages", keys: ["ArrowUp", "ArrowDown"], section: "message", label: "key.messages" },
  { id: "reply", keys: ["r"], section: "message", label: "key.reply" },
  { id: "edit", keys: ["e"], section: "message", label: "key.edit" },
  { id: "react", keys: ["+"], section: "message", label: "key.react" },
  { id: "nextCase", keys: ["j"], section: "moderation", label: "key.next" },
  { id: "previousCase", keys: ["k"], section: "moderation", label: "key.previous" },
  { id: "release", keys: ["r"], section: "moderation", label: "key.release" },
  { id: "dismiss", keys: ["d"], section: "moderation", label: "key.dismiss" },
  { id: "remove", keys: ["x"], section: "moderation", label: "key.remove" },
  { id: "warn", keys: ["w"], section: "moderation", label: "key.warn" },
  { id: "suspend", keys: ["s"], section: "moderation", label: "key.suspend" },
] as const satisfies readonly Shortcut[];

export type ShortcutId = (typeof SHORTCUTS)[number]["id"];
/** The shortcuts that open a page: listed only if the page is visible. */
export const GO_SHORTCUTS = SHORTCUTS.map((one) => one.id).filter((id) => id.startsWith("go"));
type Action = (key: string) => void;

const SEQUENCE_MS = 1200;
const REPEATABLE = new Set(["j", "k"]);

export class Keys {
  readonly #actions = new Map<string, Action[]>();
  #first: { key: string; at: number } | null = null;
  readonly #isEnabled: () => boolean;

  constructor(isEnabled: () => boolean) {
    this.#isEnabled = isEnabled;
  }

  /** Returns the function that unregisters it, for an $effect. */
  on(id: ShortcutId, run: Action): () => void {
    const all = this.#actions.get(id) ?? [];
    this.#actions.set(id, [run, ...all]);
    return () =>
      this.#actions.set(
        id,
        (this.#actions.get(id) ?? []).filter((one) => one !== run),
      );
  }

  /** Registers several actions. */
  all(map: Partial<Record<ShortcutId, Action>>): () => void {
    const ends = Object.entries(map).map(([id, run]) => this.on(id as ShortcutId, run));
    return () => ends.forEach((end) => end());
  }

  handle = (event: KeyboardEvent): void => {
    if (
      event.defaultPrevented ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.isComposing
    )
      return;
    const { key } = event;
    if (event.repeat && !REPEATABLE.has(key)) return;
    if (key !== "Escape" && (!this.#isEnabled() || isTyping(event))) return;
    const run = this.#find(key);
    if (run === null) return;
    event.preventDefault();
    run(key);
  };

  #find(key: string): Action | null {
    const first =
      this.#first !== null && Date.now() - this.#first.at < SEQUENCE_MS ? this.#first.key : null;
    this.#first = null;
    const sequence = first === null ? null : this.#actionFor(`${first} ${key}`);
    if (sequence) return sequence;
    if (SHORTCUTS.some((one) => one.keys.some((keys) => keys.startsWith(`${key} `)))) {
      this.#first = { key, at: Date.now() };
      return null;
    }
    return this.#actionFor(key);
  }

  #actionFor(key: string): Action | null {
    for (const shortcut of SHORTCUTS) {
      if (shortcut.section === "message" || shortcut.id === "editLast") continue;
      if (!(shortcut.keys as readonly string[]).includes(key)) continue;
      const run = this.#actions.get(shortcut.id)?.[0];
      if (run) return run;
    }
    return null;
  }
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable) return true;
  return (
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) &&
    !/^(radio|checkbox|button)$/.test((target as HTMLInputElement).type)
  );
}
