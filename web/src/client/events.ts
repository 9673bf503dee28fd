// The registry of handlers for events, and for the changes that a resume delivers or cannot deliver. Each
// feature registers its handlers by event type and by source; a new feature adds its own, and nothing here
// changes.
//
// Handlers of one type or source run in the order in which they were registered. Events and sources without
// a handler, such as those of a newer server, are ignored.
import type { Changes, ServerEvent } from "./socket";

export type EventType = ServerEvent["type"];
export type EventOf<T extends EventType> = Extract<ServerEvent, { type: T }>;

/** Registers a handler; returns the function that removes it. */
export type On = <T extends EventType>(type: T, handler: (event: EventOf<T>) => void) => () => void;

/** The parts of `Changes` that features register. */
export type SyncSource = Exclude<keyof Changes, "cursor" | "more" | "reset">;
export type OnSync = <S extends SyncSource>(
  source: S,
  handler: (changes: NonNullable<Changes[S]>) => void,
) => void;

/** Registers how a feature loads what it shows of a source again. Needed wherever `onSync` is. */
export type OnReset = (source: SyncSource, reload: () => void) => void;

type Handler = (event: never) => void;

export class EventRegistry {
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #syncHandlers = new Map<SyncSource, Handler>();
  readonly #reloads: { source: SyncSource; reload: () => void }[] = [];

  readonly on: On = (type, handler) => {
    const handlers = this.#handlers.get(type) ?? new Set();
    this.#handlers.set(type, handlers.add(handler));
    return () => handlers.delete(handler);
  };

  readonly onSync: OnSync = (source, handler) => {
    this.#syncHandlers.set(source, handler);
  };

  readonly onReset: OnReset = (source, reload) => {
    this.#reloads.push({ source, reload });
  };

  dispatchChanges(changes: Changes): void {
    for (const [source, handler] of this.#syncHandlers) {
      const part = changes[source];
      if (part !== undefined) handler(part as never);
    }
  }

  /** Null means all sources. */
  dispatchReset(sources: readonly string[] | null): void {
    for (const { source, reload } of this.#reloads) {
      if (sources === null || sources.includes(source)) reload();
    }
  }

  dispatch(event: ServerEvent): void {
    for (const handler of [...(this.#handlers.get(event.type) ?? [])]) handler(event as never);
  }

  has(type: EventType): boolean {
    return (this.#handlers.get(type)?.size ?? 0) > 0;
  }
}
