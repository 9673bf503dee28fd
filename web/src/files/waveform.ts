// The loudness of a sound as bars. Pure.

/** `count` heights from 0 to 1, from the server's 64 bytes in Base64. Flat if there are none. */
export function bars(base64: string, count: number): number[] {
  const values = decode(base64);
  if (values.length === 0) return Array.from({ length: count }, () => 0.08);
  const loudest = Math.max(...values, 1);
  return Array.from({ length: count }, (_, n) => {
    const from = Math.floor((n * values.length) / count);
    const to = Math.max(from + 1, Math.floor(((n + 1) * values.length) / count));
    return Math.max(0.08, Math.max(...values.slice(from, to)) / loudest);
  });
}

function decode(base64: string): number[] {
  try {
    return [...atob(base64)].map((letter) => letter.charCodeAt(0));
  } catch {
    return [];
  }
}
