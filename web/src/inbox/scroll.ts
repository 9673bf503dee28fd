// Scroll anchoring: keeps the visible message in place while rows are added and removed.
//
// Careful: the browser's own scroll anchoring does not work at the very top, and not at all in Safari. So
// it is turned off (`overflow-anchor: none`) and done here, before and after each change of the rows.

export interface ScrollAnchor {
  key: string;
  top: number;
}

export const AT_BOTTOM = 48;

export function fromBottom(scroller: HTMLElement): number {
  return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
}

/** The first visible row, and its distance from the top of the viewport. */
export function captureAnchor(scroller: HTMLElement): ScrollAnchor | null {
  const rows = rowsWithSeq(scroller);
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row && row.offsetTop + row.offsetHeight > scroller.scrollTop) high = middle;
    else low = middle + 1;
  }
  const found = rows[low];
  return found
    ? { key: found.dataset["key"] ?? "", top: found.offsetTop - scroller.scrollTop }
    : null;
}

export function restoreAnchor(scroller: HTMLElement, anchor: ScrollAnchor): void {
  const row = scroller.querySelector<HTMLElement>(`[data-key="${CSS.escape(anchor.key)}"]`);
  if (!row) return;
  const wanted = row.offsetTop - anchor.top;
  if (Math.abs(wanted - scroller.scrollTop) >= 1) scroller.scrollTop = wanted;
}

/** The seq of the last visible message. */
export function lastSeen(scroller: HTMLElement): number {
  const bottom = scroller.scrollTop + scroller.clientHeight;
  const rows = rowsWithSeq(scroller);
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const row = rows[at];
    if (row && row.offsetTop + Math.min(row.offsetHeight, 24) <= bottom)
      return Number(row.dataset["seq"] ?? 0);
  }
  return 0;
}

function rowsWithSeq(scroller: HTMLElement): HTMLElement[] {
  return [...scroller.querySelectorAll<HTMLElement>("[data-seq]")];
}
