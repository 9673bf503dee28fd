// One intent of the user with a card: the dry run, and the step itself with a key that is kept over retries.
import type { CardContent, CardView, DryRun } from "../client";
import { isProblem } from "../client";
import type { AppContext } from "../app/appContext.svelte";
import { errorText } from "../app/toasts.svelte";
import { t } from "../strings";
import "../strings/en.cards";

export type Aim =
  | { is: "propose"; threadId: string; legId: string | null }
  | { is: "answer"; card: CardView; transition: string };

const SLOW_MS = 6000;
const CHANGED = new Set(["card-changed", "card-not-open"]);

export class Intent {
  dry = $state.raw<DryRun | null>(null);
  isBusy = $state(false);
  isSlow = $state(false);
  wrong = $state("");
  /** The card as it is now, if someone was faster. */
  changed = $state.raw<CardView | null>(null);
  needsMethod = $state(false);
  #attempt = { said: "", key: "" };

  constructor(
    private readonly app: AppContext,
    private readonly aim: Aim,
  ) {}

  /** What it would do. Returns whether that is known. */
  async preview(given: Record<string, unknown> | null): Promise<boolean> {
    this.dry = null;
    return this.#run(async () => {
      const cards = await this.app.client.cards();
      this.dry =
        this.aim.is === "propose"
          ? await cards.dryPropose(this.aim.threadId, given as unknown as CardContent, this.#choices())
          : await cards.dryAnswer(this.aim.card, this.aim.transition, given);
    });
  }

  /** Returns whether it is done. After a lost answer, the same content has the same key. */
  async send(given: Record<string, unknown> | null, method: string | null): Promise<boolean> {
    const said = JSON.stringify(given);
    if (this.#attempt.said !== said) this.#attempt = { said, key: crypto.randomUUID() };
    const { key } = this.#attempt;
    if (!this.app.isOnline) {
      this.wrong = t("dry.offline");
      return false;
    }
    return this.#run(async () => {
      const cards = await this.app.client.cards();
      if (this.aim.is === "propose") {
        const choices = { ...this.#choices(), ...(method === null ? {} : { paymentMethod: method }) };
        await cards.propose(this.aim.threadId, given as unknown as CardContent, choices, key);
      } else {
        await cards.answer(this.aim.card, this.aim.transition, given, method ?? undefined, key);
      }
    });
  }

  #choices(): { legId?: string } {
    return this.aim.is === "propose" && this.aim.legId !== null ? { legId: this.aim.legId } : {};
  }

  async #run(action: () => Promise<void>): Promise<boolean> {
    if (this.isBusy) return false;
    [this.isBusy, this.isSlow, this.wrong] = [true, false, ""];
    const slow = setTimeout(() => (this.isSlow = true), SLOW_MS);
    try {
      await action();
      return true;
    } catch (error) {
      await this.#failed(error);
      return false;
    } finally {
      clearTimeout(slow);
      [this.isBusy, this.isSlow] = [false, false];
    }
  }

  async #failed(error: unknown): Promise<void> {
    const code = isProblem(error) ? error.type.slice(error.type.lastIndexOf("/") + 1) : "";
    if (CHANGED.has(code) && this.aim.is === "answer") {
      const { cardId } = this.aim.card;
      const found = await this.app.client.cards().then((cards) => cards.card(cardId)).catch(() => null);
      this.changed = found?.card ?? this.aim.card;
    } else if (code === "payment-method-needed") {
      this.needsMethod = true;
      this.wrong = this.app.payments === null ? t("pay.needed") : "";
    } else if (code === "unreachable") {
      this.wrong = t(this.dry === null ? "client.unreachable" : "dry.lost");
    } else {
      this.wrong = errorText(error);
    }
  }
}
