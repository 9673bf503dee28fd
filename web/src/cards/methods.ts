// The sandbox's payment methods, which the demo offers, and the currency that was used last.
export const METHODS = [
  "ok",
  "declines",
  "insufficient_funds",
  "delays",
  "delays_then_declines",
  "expires_soon",
] as const;

const STORAGE_KEY = "greenroom.currency";
const CURRENCY = /^[A-Z]{3}$/;

export function rememberedCurrency(): string {
  try {
    const found = localStorage.getItem(STORAGE_KEY) ?? "";
    return CURRENCY.test(found) ? found : "EUR";
  } catch {
    return "EUR"; // storage is blocked
  }
}

export function rememberCurrency(currency: string): void {
  try {
    localStorage.setItem(STORAGE_KEY, currency);
  } catch {
    // Storage is blocked: it is asked for again.
  }
}
