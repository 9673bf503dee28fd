// Cards and bookings: proposing and answering, dry runs, reads. Loaded with the first call of `client.cards()`.
import { retryUnreachable, type Rest } from "./rest";
import type { ClientStore } from "./store";
import type {
  Booking,
  BookingTrouble,
  CardChoices,
  CardContent,
  CardRecord,
  CardResult,
  Cards,
  CardView,
  DryRun,
  Page,
} from "./types";

export class CardsClient implements Cards {
  constructor(
    private readonly rest: Rest,
    private readonly store: ClientStore,
  ) {}

  async dryPropose(threadId: string, content: CardContent, choices: CardChoices = {}): Promise<DryRun> {
    const input = { path: { threadId }, query: { dryRun: true }, body: { content, ...choices } };
    return (await this.rest.request("post", "/v1/threads/{threadId}/cards", input)) as DryRun;
  }

  async propose(
    threadId: string,
    content: CardContent,
    choices: CardChoices = {},
    key: string = crypto.randomUUID(),
  ): Promise<CardResult> {
    const body = { content, ...choices };
    const input = { path: { threadId }, headers: { "Idempotency-Key": key }, body };
    const send = () => this.rest.request("post", "/v1/threads/{threadId}/cards", input);
    return (await retryUnreachable(send)) as CardResult;
  }

  async dryAnswer(
    card: CardView,
    transition: string,
    given: Record<string, unknown> | null = null,
    paymentMethod?: string,
  ): Promise<DryRun> {
    const body = stepBody(card, transition, given, paymentMethod);
    const input = { path: { cardId: card.cardId }, query: { dryRun: true }, body };
    return (await this.rest.request("post", "/v1/cards/{cardId}/steps", input)) as DryRun;
  }

  async answer(
    card: CardView,
    transition: string,
    given: Record<string, unknown> | null = null,
    paymentMethod?: string,
    key: string = crypto.randomUUID(),
  ): Promise<CardResult> {
    const body = stepBody(card, transition, given, paymentMethod);
    const input = { path: { cardId: card.cardId }, headers: { "Idempotency-Key": key }, body };
    const send = () => this.rest.request("post", "/v1/cards/{cardId}/steps", input);
    return (await retryUnreachable(send)) as CardResult;
  }

  async card(cardId: string): Promise<CardRecord> {
    const found = await this.rest.request("get", "/v1/cards/{cardId}", { path: { cardId } });
    this.store.people.need(found.steps.map((one) => one.userId));
    return found;
  }

  async list(threadId: string, cursor: string | null = null): Promise<Page<CardView>> {
    const input = { path: { threadId }, query: { cursor } };
    const { cards, next } = await this.rest.request("get", "/v1/threads/{threadId}/cards", input);
    return { items: cards, next };
  }

  async booking(threadId: string): Promise<Booking | null> {
    const input = { path: { threadId } };
    return (await this.rest.request("get", "/v1/threads/{threadId}/booking", input)).booking;
  }

  calendar(legId: string): Promise<Blob> {
    return this.rest.download(`/v1/legs/${encodeURIComponent(legId)}/calendar.ics`);
  }

  cardPdf(cardId: string): Promise<Blob> {
    return this.rest.download(`/v1/cards/${encodeURIComponent(cardId)}/card.pdf`);
  }

  receiptsPdf(threadId: string): Promise<Blob> {
    return this.rest.download(`/v1/threads/${encodeURIComponent(threadId)}/booking/receipts.pdf`);
  }

  async trouble(): Promise<BookingTrouble> {
    const found = await this.rest.request("get", "/v1/moderation/bookings", {});
    const parties = found.disputes.flatMap((one) => [one.buyerUserId, one.providerUserId]);
    this.store.people.need(parties);
    return found;
  }

  async retryPayment(paymentKey: string): Promise<void> {
    await this.rest.request("post", "/v1/moderation/payments/{paymentKey}/retry", { path: { paymentKey } });
  }
}

function stepBody(
  { version }: CardView,
  transition: string,
  input: Record<string, unknown> | null,
  paymentMethod: string | undefined,
): { transition: string; version: number; input?: Record<string, unknown>; paymentMethod?: string } {
  return {
    transition,
    version,
    ...(input === null ? {} : { input }),
    ...(paymentMethod === undefined ? {} : { paymentMethod }),
  };
}
