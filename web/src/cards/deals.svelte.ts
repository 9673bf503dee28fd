// The bookings of open conversations: loaded when the first component needs one, and kept up to date while one does.
import { onDestroy } from "svelte";
import type { Booking, BookingLeg, Message } from "../client";
import type { AppContext } from "../app/appContext.svelte";
import { ownZone } from "./times";

const PAUSE_MS = 250;
const ABOUT = /^(card|deposit|leg|booking|document)\./;

export class Deal {
  /** Null: not loaded yet, or nothing was proposed. */
  booking = $state.raw<Booking | null>(null);
  isLoaded = $state(false);
  problem = $state.raw<unknown>(null);
  uses = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #stop: (() => void)[];

  constructor(
    private readonly app: AppContext,
    private readonly threadId: string,
  ) {
    const onMessage = (event: { threadId: string; message: Message }): void => {
      if (event.threadId === threadId && isAboutBooking(event.message)) this.loadSoon();
    };
    const { client } = app;
    this.#stop = [
      client.on("message.created", onMessage),
      client.on("message.edited", onMessage),
      client.connection.subscribe(({ state }) => state === "live" && this.loadSoon()),
    ];
  }

  /** Several changes that come together are one load. */
  loadSoon(): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.load();
    }, PAUSE_MS);
  }

  async load(): Promise<void> {
    try {
      this.booking = await (await this.app.client.cards()).booking(this.threadId);
      this.isLoaded = true;
      this.problem = null;
    } catch (error) {
      this.problem = error;
    }
  }

  get legs(): readonly BookingLeg[] {
    return this.booking?.legs ?? [];
  }

  leg(legId: string | null): BookingLeg | null {
    return this.legs.find((one) => one.legId === legId) ?? null;
  }

  zoneOf(legId: string | null): string {
    return this.leg(legId)?.timeZone ?? ownZone();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#stop.forEach((stop) => stop());
  }
}

function isAboutBooking(message: Message): boolean {
  return message.kind === "card" || ABOUT.test(message.event ?? "");
}

const deals = new WeakMap<AppContext, Map<string, Deal>>();

/** Call it while a component is initialised. */
export function useDeal(app: AppContext, threadId: string): Deal {
  const open = deals.get(app) ?? new Map<string, Deal>();
  deals.set(app, open);
  const deal = open.get(threadId) ?? new Deal(app, threadId);
  open.set(threadId, deal);
  deal.uses += 1;
  onDestroy(() => {
    deal.uses -= 1;
    if (deal.uses > 0) return;
    deal.close();
    open.delete(threadId);
  });
  return deal;
}
