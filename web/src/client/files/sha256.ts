// SHA-256 in pieces: crypto.subtle can only hash what is in memory as a whole.

const BLOCK = 64;
const FIRST = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
/** The first 32 bits of the fractions of the cube roots of the first 64 primes. */
const K = new Int32Array(primes(64).map((prime) => fraction(Math.cbrt(prime))));

export class Sha256 {
  readonly #state = new Int32Array(FIRST);
  readonly #schedule = new Int32Array(64);
  readonly #rest = new Uint8Array(BLOCK);
  #restLength = 0;
  #length = 0;

  update(bytes: Uint8Array): this {
    this.#length += bytes.length;
    let at = 0;
    if (this.#restLength > 0) {
      at = Math.min(BLOCK - this.#restLength, bytes.length);
      this.#rest.set(bytes.subarray(0, at), this.#restLength);
      this.#restLength += at;
      if (this.#restLength < BLOCK) return this;
      this.#compress(this.#rest, 0, BLOCK);
    }
    const end = at + (bytes.length - at - ((bytes.length - at) % BLOCK));
    this.#compress(bytes, at, end);
    this.#rest.set(bytes.subarray(end));
    this.#restLength = bytes.length - end;
    return this;
  }

  /** The digest, in hexadecimal. Call it once, at the end. */
  hex(): string {
    const length = this.#length;
    const zeros = (BLOCK * 2 - 9 - (length % BLOCK)) % BLOCK;
    const end = new Uint8Array(1 + zeros + 8);
    end[0] = 0x80;
    const view = new DataView(end.buffer);
    view.setUint32(1 + zeros, Math.floor(length / 2 ** 29));
    view.setUint32(5 + zeros, (length * 8) >>> 0);
    this.update(end);
    return [...this.#state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }

  #compress(bytes: Uint8Array, from: number, to: number): void {
    const w = this.#schedule;
    const state = this.#state;
    let [h0, h1, h2, h3, h4, h5, h6, h7] = state as unknown as [
      number, number, number, number, number, number, number, number,
    ];
    for (let at = from; at < to; at += BLOCK) {
      for (let i = 0, p = at; i < 16; i++, p += 4) {
        w[i] = (bytes[p]! << 24) | (bytes[p + 1]! << 16) | (bytes[p + 2]! << 8) | bytes[p + 3]!;
      }
      for (let i = 16; i < 64; i++) {
        const x = w[i - 15]!;
        const y = w[i - 2]!;
        const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
        const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
        w[i] = (((s0 + s1) | 0) + ((w[i - 7]! + w[i - 16]!) | 0)) | 0;
      }
      let a = h0;
      let b = h1;
      let c = h2;
      let d = h3;
      let e = h4;
      let f = h5;
      let g = h6;
      let h = h7;
      for (let i = 0; i < 64; i++) {
        const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
        const t1 = (((h + s1) | 0) + (((g ^ (e & (f ^ g))) + ((K[i]! + w[i]!) | 0)) | 0)) | 0;
        const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
        const t2 = (s0 + ((a & b) | (c & (a | b)))) | 0;
        h = g;
        g = f;
        f = e;
        e = (d + t1) | 0;
        d = c;
        c = b;
        b = a;
        a = (t1 + t2) | 0;
      }
      h0 = (h0 + a) | 0;
      h1 = (h1 + b) | 0;
      h2 = (h2 + c) | 0;
      h3 = (h3 + d) | 0;
      h4 = (h4 + e) | 0;
      h5 = (h5 + f) | 0;
      h6 = (h6 + g) | 0;
      h7 = (h7 + h) | 0;
    }
    state.set([h0, h1, h2, h3, h4, h5, h6, h7]);
  }
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
}

function fraction(value: number): number {
  return ((value - Math.floor(value)) * 2 ** 32) | 0;
}
