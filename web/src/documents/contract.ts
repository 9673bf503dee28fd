// The content of a contract, as it is hashed and signed: read from its canonical JSON, and checked against its hash.
import type { Money } from "../cards/money";

export interface Contract {
  title: string;
  parties: { role: string; name: string; user_id: string }[];
  services: { what: string; where: string; starts_ms: number; ends_ms: number; zone: string; price: Money }[];
  extras: { text: string; amount: Money }[];
  deposit: Money | null;
  cancellation: { days_before: number; percent: number }[];
  terms: string;
}

const EMPTY = { extras: [], deposit: null, cancellation: [], terms: "" };

/** Fields that a contract does not use are left out of its JSON. */
export function contractIn(content: string): Contract {
  return { ...EMPTY, ...(JSON.parse(content) as Contract) };
}

/** Whether the text is the one that the signature is for. Where the browser has no crypto (a page without TLS), the
 * server compares it alone. */
export async function isHashOf(content: string, sha256: string): Promise<boolean> {
  const subtle = globalThis.crypto?.subtle;
  if (subtle === undefined) return true;
  const digest = new Uint8Array(await subtle.digest("SHA-256", new TextEncoder().encode(content)));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("") === sha256;
}
