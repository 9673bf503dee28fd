// The keyboard: which key means what, and who does it just now.
//
// A component says what it can do (`keys.on("pin", …)`) for as long as it is there; the last to say so
// is asked first. What one would get wrong: a single letter must do nothing while somebody types,
// nor with Ctrl or Cmd held; and it can be turned off altogether (WCAG 2.1.4), which Escape cannot.
// A key that is held down says itself again and again: to go on is meant, to decide again is not.
import type { PlainKey } from "../strings";

export type Section = "anywhere" | "list" | "conversation" | "message" | "moderation";

export interface Shortcut {
  id: string;
  /** One after another: "g i". */
  keys: readonly string[];
  section: Section;
  says: PlainKey;
}

export const SHORTCUTS = [
  { id: "help", keys: ["?"], section: "anywhere", says: "key.help" },
  { id: "new", keys: ["n"], section: "anywhere", says: "key.new" },
  { id: "goInbox", keys: ["g i"], section: "anywhere", says: "key.goInbox" },
  { id: "goModeration", keys: ["g m"], section: "anywhere", says: "key.goModeration" },
  { id: "goSettings", keys: ["g s"], section: "anywhere", says: "key.goSettings" },
  { id: "close", keys: ["Escape"], section: "anywhere", says: "key.close" },
  { id: "next", keys: ["j"], section: "list", says: "key.next" },
  { id: "previous", keys: ["k"], section: "list", says: "key.previous" },
  {
    id: "folder",
    keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"],
    section: "list",
    says: "key.folder",
  },
  { id: "compose", keys: ["c"], section: "conversation", says: "key.compose" },
  { id: "pin", keys: ["p"], section: "conversation", says: "key.pin" },
  { id: "mute", keys: ["m"], section: "conversation", says: "key.mute" },
  { id: "archive", keys: ["e"], section: "conversation", says: "key.archive" },
  { id: "unread", keys: ["u"], section: "conversation", says: "key.unread" },
  { id: "accept", keys: ["y"], section: "conversation", says: "key.accept" },
  { id: "details", keys: ["d"], section: "conversation", says: "key.details" },
  { id: "newest", keys: ["End"], section: "conversation", says: "key.newest" },
  { id: "editLast", keys: ["ArrowUp"], section: "conversation", says: "key.editLast" },
  { id: "messages", keys: ["ArrowUp", "ArrowDown"], section: "message", says: "key.messages" },
  { id: "reply", keys: ["r"], section: "message", says: "key.reply" },
  { id: "edit", keys: ["e"], section: "message", says: "key.edit" },
  { id: "react", keys: ["+"], section: "message", says: "key.react" },
  { id: "nextCase", keys: ["j"], section: "moderation", says: "key.next" },
  { id: "previousCase", keys: ["k"], section: "moderation", says: "key.previous" },
  { id: "release", keys: ["r"], section: "moderation", says: "key.release" },
  { id: "dismiss", keys: ["d"], section: "moderation", says: "key.dismiss" },
  { id: "remove", keys: ["x"], section: "moderation", says: "key.remove" },
  { id: "warn", keys: ["w"], section: "moderation", says: "key.warn" },
  { id: "suspend", keys: ["s"], section: "moderation", says: "key.suspend" },
] as const satisfies readonly Shortcut[];

export type ShortcutId = (typeof SHORTCUTS)[number]["id"];
type Doing = (key: string) => void;

const SEQUENCE_MS = 1200;
const GOES_ON = new Set(["j", "k"]);

export class Keys {
  readonly #doing = new Map<string, Doing[]>();
  #first: { key: string; at: number } | null = null;
  readonly #areOn: () => boolean;

  constructor(areOn: () => boolean) {
    this.#areOn = areOn;
  }

  /** Returns what ends it: fit for an $effect. */
  on(id: ShortcutId, run: Doing): () => void {
    const all = this.#doing.get(id) ?? [];
    this.#doing.set(id, [run, ...all]);
    return () =>
      this.#doing.set(
        id,
        (this.#doing.get(id) ?? []).filter((one) => one !== run),
      );
  }

  /** Several at once. */
  all(map: Partial<Record<ShortcutId, Doing>>): () => void {
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
    if (event.repeat && !GOES_ON.has(key)) return;
    if (key !== "Escape" && (!this.#areOn() || isWriting(event))) return;
    const run = this.#find(key);
    if (run === null) return;
    event.preventDefault();
    run(key);
  };

  #find(key: string): Doing | null {
    const first =
      this.#first !== null && Date.now() - this.#first.at < SEQUENCE_MS ? this.#first.key : null;
    this.#first = null;
    const sequence = first === null ? null : this.#doer(`${first} ${key}`);
    if (sequence) return sequence;
    if (SHORTCUTS.some((one) => one.keys.some((keys) => keys.startsWith(`${key} `)))) {
      this.#first = { key, at: Date.now() };
      return null;
    }
    return this.#doer(key);
  }

  #doer(key: string): Doing | null {
    for (const shortcut of SHORTCUTS) {
      if (shortcut.section === "message" || shortcut.id === "editLast") continue;
      if (!(shortcut.keys as readonly string[]).includes(key)) continue;
      const run = this.#doing.get(shortcut.id)?.[0];
      if (run) return run;
    }
    return null;
  }
}

function isWriting(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable) return true;
  return (
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) &&
    !/^(radio|checkbox|button)$/.test((target as HTMLInputElement).type)
  );
}
