// Marks where a person's name goes in a text, so that `TextWithPeople.svelte` can put a link there.

const MARK = /\u0001([^\u0002]*)\u0002/u;

export interface Piece {
  text: string;
  userId: string | null;
}

export function personMarker(userId: string): string {
  return `\u0001${userId}\u0002`;
}

export function splitMarkers(text: string): Piece[] {
  return text
    .split(MARK)
    .map((part, at) => (at % 2 === 0 ? { text: part, userId: null } : { text: "", userId: part }))
    .filter((piece) => piece.userId !== null || piece.text !== "");
}
