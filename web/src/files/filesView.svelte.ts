// Loads the components that show files when the first message with files comes on screen.
import type { Component } from "svelte";
import type { Files, Message, Outgoing, Thread } from "../client";

export interface FilesComponents {
  Attachments: Component<{ message: Message; thread: Thread; onopen: (fileId: string) => void }>;
  OutgoingFiles: Component<{ files: Files; outgoing: Outgoing }>;
  OutgoingState: Component<{ files: Files; outgoing: Outgoing; oncancel: () => void }>;
}

class FilesView {
  /** Null until they are loaded: the log waits for them, so that nothing jumps. */
  components = $state.raw<FilesComponents | null>(null);
  hasFailed = $state(false);
  #loading: Promise<void> | null = null;

  need(): void {
    this.#loading ??= import("./components").then(
      (loaded) => (this.components = loaded),
      () => {
        this.hasFailed = true; // no connection: tried again with the next message
        this.#loading = null;
      },
    ) as Promise<void>;
  }
}

export const filesView = new FilesView();
