// The grid of the pictures in a message. Pure: it depends only on their sizes, which are known before anything
// is loaded, so that nothing jumps.
//
// Rows of one to three pictures. In a row each picture is as wide as its shape asks, so that all are of one
// height. Very wide and very tall ones are cut to a shape that can still be recognised.

const WIDEST = 2.6;
const TALLEST = 0.6;
/** The best sum of the shapes in a row: it makes rows that are neither flat nor high. */
const BEST = 2.3;
const MOST_IN_ROW = 3;

/** Width divided by height, within limits. Unknown sizes are square. */
export function shapeOf({ w, h }: { w: number; h: number }): number {
  return w > 0 && h > 0 ? Math.min(WIDEST, Math.max(TALLEST, w / h)) : 1;
}

/** The pictures by row, in their order: of all ways to divide them, the one whose rows are best. */
export function rowsOf<T extends { w: number; h: number }>(pictures: readonly T[]): T[][] {
  /** The best way to divide the first n pictures. */
  const best: { cost: number; rows: T[][] }[] = [{ cost: 0, rows: [] }];
  for (let end = 1; end <= pictures.length; end++) {
    for (let start = Math.max(0, end - MOST_IN_ROW); start < end; start++) {
      const row = pictures.slice(start, end);
      const before = best[start];
      const cost = (before?.cost ?? 0) + badness(row);
      if (cost < (best[end]?.cost ?? Infinity)) best[end] = { cost, rows: [...(before?.rows ?? []), row] };
    }
  }
  return best[pictures.length]?.rows ?? [];
}

/** How far the row is from the best height, by ratio. */
function badness(row: readonly { w: number; h: number }[]): number {
  const sum = row.reduce((total, picture) => total + shapeOf(picture), 0);
  return Math.log(sum / BEST) ** 2;
}
