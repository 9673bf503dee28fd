/** Places a floating element next to its button and inside the viewport: below, or above if there is no room.
 * Uses the CSSOM, which a strict CSP allows. */

const GAP = 4;
const MARGIN = 8;

export function placeBeside(floating: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const size = floating.getBoundingClientRect();
  const viewport = { wide: document.documentElement.clientWidth, high: window.innerHeight };
  const onLeft = at.left + at.right < viewport.wide;
  const left = onLeft ? at.left : at.right - size.width;
  const below = at.bottom + GAP;
  const top = below + size.height > viewport.high - MARGIN ? at.top - GAP - size.height : below;
  floating.style.left = `${clamp(left, MARGIN, viewport.wide - size.width - MARGIN)}px`;
  floating.style.top = `${clamp(top, MARGIN, viewport.high - size.height - MARGIN)}px`;
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}
