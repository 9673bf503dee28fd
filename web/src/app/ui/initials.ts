/** The initials and the colour of an avatar. */

const TONES = 8;

export function tone(id: string): number {
  let sum = 7;
  for (const letter of id) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return sum % TONES;
}

/** At most two letters, by grapheme: a flag or a Hangul syllable counts as one. */
export function initials(name: string): string {
  const words = name
    .trim()
    .split(/[\s._-]+/u)
    .filter(Boolean);
  const first = words[0];
  if (first === undefined) return "?";
  const last = words.length > 1 ? words[words.length - 1] : undefined;
  return (letter(first) + (last === undefined ? "" : letter(last))).toLocaleUpperCase();
}

function letter(word: string): string {
  for (const { segment } of new Intl.Segmenter().segment(word)) return segment;
  return "";
}
