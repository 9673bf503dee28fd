// Loads the components of cards when the first card comes on screen.
import type { Component } from "svelte";
import type { Message, Thread } from "../client";
import type { MessageRow } from "../inbox/rows";

export interface CardRowProps {
  row: MessageRow;
  thread: Thread;
  isActive: boolean;
  isStop: boolean;
  isFlashed: boolean;
  onactive: (key: string | null) => void;
}

export interface CardsComponents {
  CardRow: Component<CardRowProps>;
  CardEvent: Component<{ message: Message; thread: Thread | null; onjump: (messageId: string) => void }>;
  DocumentEvent: Component<{ message: Message; thread: Thread | null }>;
}

class CardsView {
  /** Null until they are loaded: the log waits for them, so that nothing jumps. */
  components = $state.raw<CardsComponents | null>(null);
  hasFailed = $state(false);
  #loading: Promise<void> | null = null;

  need(): void {
    this.#loading ??= import("./components").then(
      (loaded) => (this.components = loaded),
      () => {
        this.hasFailed = true; // no connection: tried again with the next card
        this.#loading = null;
      },
    ) as Promise<void>;
  }
}

export const cardsView = new CardsView();

/** A card, or what happened to one or to a contract. */
export function isAboutCard(message: Message): boolean {
  return message.kind === "card" || /^(card|document)\./.test(message.event ?? "");
}
