// Amounts of money: shown in the reader's locale, and read from what people type. Pure functions.
//
// Careful: the decimals of a currency are those of the server (ISO 4217). Browsers know others for some.
import { locale } from "../strings";

/** Whole minor units of a currency. */
export interface Money {
  minor: number;
  currency: string;
}

const NO_DECIMALS = new Set("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF".split(" "));
const THREE_DECIMALS = new Set("BHD IQD JOD KWD LYD OMR TND".split(" "));
const MOST_MINOR = 10 ** 12;

/** The currencies that a form offers first. */
export const COMMON_CURRENCIES = ["EUR", "GBP", "USD", "CHF", "PLN", "SEK", "DKK", "NOK", "CZK", "JPY"];

export function decimalsOf(currency: string): number {
  if (NO_DECIMALS.has(currency)) return 0;
  return THREE_DECIMALS.has(currency) ? 3 : 2;
}

/** "€400.00", or "€400" where it is `short` and whole. */
export function moneyText({ minor, currency }: Money, { short = false } = {}): string {
  const decimals = decimalsOf(currency);
  const isWhole = minor % 10 ** decimals === 0;
  const digits = short && isWhole ? 0 : decimals;
  return new Intl.NumberFormat(locale(), {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(minor / 10 ** decimals);
}

/** The sum in one currency; null for none. */
export function sumOf(amounts: readonly Money[]): Money | null {
  const [first] = amounts;
  if (first === undefined) return null;
  return { minor: amounts.reduce((sum, one) => sum + one.minor, 0), currency: first.currency };
}

/** What a field shows: "400" or "12.50", with the point that `readMoney` understands everywhere. */
export function moneyField({ minor, currency }: Money): string {
  const decimals = decimalsOf(currency);
  const whole = Math.floor(minor / 10 ** decimals);
  const rest = minor % 10 ** decimals;
  return rest === 0 ? String(whole) : `${whole}.${String(rest).padStart(decimals, "0")}`;
}

/** The amount that somebody typed, such as "1,200", "1.200,50" or "1 200.5"; null if it is not clear. */
export function readMoney(typed: string, currency: string): Money | null {
  const text = typed.trim().replace(/[\s\u00a0\u202f'’]/g, "");
  if (!/^\d[\d.,]*$/.test(text)) return null;
  const decimals = decimalsOf(currency);
  const [whole, part] = splitDecimals(text, decimals);
  if (whole === null) return null;
  const minor = Number(whole) * 10 ** decimals + Number(part.padEnd(decimals, "0") || 0);
  return Number.isSafeInteger(minor) && minor <= MOST_MINOR ? { minor, currency } : null;
}

/** The last separator begins the decimals if it is the only one of its kind, and few enough digits follow. With
 * three decimals, "1.234" has them, and "1,234" is not clear. */
function splitDecimals(text: string, decimals: number): [string | null, string] {
  const at = Math.max(text.lastIndexOf("."), text.lastIndexOf(","));
  if (at < 0) return [text, ""];
  const [before, after, mark] = [text.slice(0, at), text.slice(at + 1), text[at] ?? ""];
  const isDecimal = after.length > 0 && after.length <= decimals && !before.includes(mark);
  if (isDecimal && decimals === 3 && mark === "," && isGrouped(text)) return [null, ""];
  if (isDecimal) {
    return isGrouped(before) || /^\d+$/.test(before) ? [digitsOf(before), after] : [null, ""];
  }
  return isGrouped(text) ? [digitsOf(text), ""] : [null, ""];
}

/** "1,200" or "1.200.000". */
function isGrouped(text: string): boolean {
  return /^[1-9]\d{0,2}(,\d{3})+$/.test(text) || /^[1-9]\d{0,2}(\.\d{3})+$/.test(text);
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, "");
}
