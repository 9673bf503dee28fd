// The token of a tab: asked for when there is none, when it is about to end, and when the server
// has refused it; once for whoever asks meanwhile.
const EARLY_MS = 15_000;

export class Tokens {
  #token: string | null = null;
  #asking: Promise<string> | null = null;

  constructor(private readonly ask: () => string | Promise<string>) {}

  async get(stale?: string | null): Promise<string> {
    const known = this.#token;
    if (known !== null && known !== stale && !isEnding(known)) return known;
    this.#asking ??= Promise.resolve()
      .then(this.ask)
      .finally(() => {
        this.#asking = null;
      });
    this.#token = await this.#asking;
    return this.#token;
  }
}

/** What a token says of itself. It is for the server to believe it. */
export function claimsOf(token: string): { sub?: string; iat?: number; exp?: number } {
  try {
    const part = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const text = new TextDecoder().decode(Uint8Array.from(atob(part), (one) => one.charCodeAt(0)));
    return JSON.parse(text) as { sub?: string; iat?: number; exp?: number };
  } catch {
    return {};
  }
}

function isEnding(token: string): boolean {
  const { iat, exp } = claimsOf(token);
  if (exp === undefined) return false;
  const early = iat === undefined ? EARLY_MS : Math.min(EARLY_MS, (exp - iat) * 250);
  return exp * 1000 < Date.now() + early;
}
