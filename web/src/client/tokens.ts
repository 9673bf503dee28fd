// The tab's token: fetched when there is none, when it is about to expire, and when the server has
// refused it. Concurrent callers share one request.
const RENEW_EARLY_MS = 15_000;

export class Tokens {
  #token: string | null = null;
  #request: Promise<string> | null = null;

  constructor(private readonly fetchToken: () => string | Promise<string>) {}

  async get(stale?: string | null): Promise<string> {
    const known = this.#token;
    if (known !== null && known !== stale && !expiresSoon(known)) return known;
    this.#request ??= Promise.resolve()
      .then(this.fetchToken)
      .finally(() => {
        this.#request = null;
      });
    this.#token = await this.#request;
    return this.#token;
  }
}

/** The token's claims, not verified: the server does that. */
export function claimsOf(token: string): { sub?: string; iat?: number; exp?: number } {
  try {
    const part = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const text = new TextDecoder().decode(Uint8Array.from(atob(part), (one) => one.charCodeAt(0)));
    return JSON.parse(text) as { sub?: string; iat?: number; exp?: number };
  } catch {
    return {};
  }
}

function expiresSoon(token: string): boolean {
  const { iat, exp } = claimsOf(token);
  if (exp === undefined) return false;
  const early = iat === undefined ? RENEW_EARLY_MS : Math.min(RENEW_EARLY_MS, (exp - iat) * 250);
  return exp * 1000 < Date.now() + early;
}
