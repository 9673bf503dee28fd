// Decodes a ThumbHash: about 25 bytes that are a picture of at most 32 by 32 pixels, to show until the
// picture itself is there. The format: github.com/evanw/thumbhash.

export interface Pixels {
  width: number;
  height: number;
  /** Red, green, blue and alpha of each pixel. */
  data: Uint8ClampedArray<ArrayBuffer>;
}

/** Null if it is not a ThumbHash. */
export function decodeThumbhash(base64: string): Pixels | null {
  try {
    const hash = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    return hash.length < 5 ? null : decode(hash);
  } catch {
    return null;
  }
}

function decode(hash: Uint8Array): Pixels {
  const byte = (at: number): number => hash[at] ?? 0;
  const first = byte(0) | (byte(1) << 8) | (byte(2) << 16);
  const second = byte(3) | (byte(4) << 8);
  const hasAlpha = first >> 23 !== 0;
  const isLandscape = second >> 15 !== 0;
  const long = hasAlpha ? 5 : 7;
  const short = second & 7;
  const lx = Math.max(3, isLandscape ? long : short);
  const ly = Math.max(3, isLandscape ? short : long);
  let at = (hasAlpha ? 6 : 5) * 2;
  /** The next 4 bits of each coefficient, as -1 to 1. */
  const channel = (nx: number, ny: number, scale: number): number[] => {
    const found: number[] = [];
    for (let y = 0; y < ny; y++) {
      for (let x = y > 0 ? 0 : 1; x * ny < nx * (ny - y); x++, at++) {
        found.push((((byte(at >> 1) >> ((at & 1) * 4)) & 15) / 7.5 - 1) * scale);
      }
    }
    return found;
  };
  const l = channel(lx, ly, ((first >> 18) & 31) / 31);
  const p = channel(3, 3, (((second >> 3) & 63) / 63) * 1.25);
  const q = channel(3, 3, (((second >> 9) & 63) / 63) * 1.25);
  const a = hasAlpha ? channel(5, 5, (byte(5) >> 4) / 15) : [];
  const [l0, p0, q0] = [(first & 63) / 63, ((first >> 6) & 63) / 31.5 - 1, ((first >> 12) & 63) / 31.5 - 1];
  const a0 = hasAlpha ? (byte(5) & 15) / 15 : 1;
  const ratio = (isLandscape ? long : short) / (isLandscape ? short : long);
  const width = Math.max(1, Math.round(ratio > 1 ? 32 : 32 * ratio));
  const height = Math.max(1, Math.round(ratio > 1 ? 32 / ratio : 32));
  const data = new Uint8ClampedArray(width * height * 4);
  const cosines = (place: number, size: number, count: number): number[] =>
    Array.from({ length: count }, (_, n) => Math.cos((Math.PI / size) * (place + 0.5) * n));
  for (let y = 0, i = 0; y < height; y++) {
    const fy = cosines(y, height, Math.max(ly, hasAlpha ? 5 : 3));
    for (let x = 0; x < width; x++, i += 4) {
      const fx = cosines(x, width, Math.max(lx, hasAlpha ? 5 : 3));
      const sum = (factors: number[], nx: number, ny: number): number => {
        let total = 0;
        for (let cy = 0, j = 0; cy < ny; cy++) {
          for (let cx = cy > 0 ? 0 : 1; cx * ny < nx * (ny - cy); cx++, j++) {
            total += (factors[j] ?? 0) * (fx[cx] ?? 0) * (fy[cy] ?? 0) * 2;
          }
        }
        return total;
      };
      const light = l0 + sum(l, lx, ly);
      const blueYellow = p0 + sum(p, 3, 3);
      const redGreen = q0 + sum(q, 3, 3);
      const blue = light - (2 / 3) * blueYellow;
      const red = (3 * light - blue + redGreen) / 2;
      data[i] = red * 255;
      data[i + 1] = (red - redGreen) * 255;
      data[i + 2] = blue * 255;
      data[i + 3] = (a0 + sum(a, 5, 5)) * 255;
    }
  }
  return { width, height, data };
}
