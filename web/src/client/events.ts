// The registry of handlers for events, and for the changes that a resume delivers. Each feature registers
// its handlers by event type and by source; a new feature adds its own, and nothing here changes.
//
// Handlers of one type run in the order in which they were registered. Events without a handler, such as
// those of a newer server, are ignored.
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

type Handler = (event: never) => void;

export class EventRegistry {
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #syncHandlers = new Map<SyncSource, Handler>();

  readonly on: On = (type, handler) => {
    const handlers = this.#handlers.get(type) ?? new Set();
    this.#handlers.set(type, handlers.add(handler));
    return () => handlers.delete(handler);
  };

  readonly onSync: OnSync = (source, handler) => {
    this.#syncHandlers.set(source, handler);
  };

  dispatchChanges(changes: Changes): void {
    for (const [source, handler] of this.#syncHandlers) {
      const part = changes[source];
      if (part !== undefined) handler(part as never);
    }
  }

  dispatch(event: ServerEvent): void {
    for (const handler of [...(this.#handlers.get(event.type) ?? [])]) handler(event as never);
  }

  has(type: EventType): boolean {
    return (this.#handlers.get(type)?.size ?? 0) > 0;
  }
}
