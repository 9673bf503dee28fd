// A picture of a file as reactive state: loaded while a component shows it.
import type { Client, PictureSize, ShownPicture } from "../client";

export class PictureState {
  current = $state.raw<ShownPicture | null>(null);

  /** For an $effect: returns the function that ends it. */
  load(client: Client, fileId: string, size: PictureSize, isRevealed: boolean): () => void {
    let stop: (() => void) | null = null;
    let isOver = false;
    client.pictures().then(
      (pictures) => {
        if (isOver) return;
        stop = pictures.show(fileId, size, (picture) => (this.current = picture), { isRevealed });
      },
      () => (this.current = { shown: "failed", canReveal: false, url: null }),
    );
    return () => {
      isOver = true;
      stop?.();
    };
  }
}
