// The actions on a thread, for the menu, the details and the shortcuts, with Undo where possible.
import { isMuted, type Thread } from "../client";
import type { AppContext } from "../app/appContext.svelte";
import { dateTime, t } from "../strings";

export type MuteFor = "hour" | "day" | "week" | "always";

const HOUR = 3_600_000;
const SPANS: Record<MuteFor, number> = {
  hour: HOUR,
  day: 24 * HOUR,
  week: 168 * HOUR,
  always: 10 * 365 * 24 * HOUR,
};

/** "Muted until 14 May", or null if it has no end. */
export function mutedUntil(thread: Thread): string | null {
  const until = thread.mine.mutedUntil;
  if (until === null || Date.parse(until) - Date.now() > SPANS.always / 2) return null;
  return t("mute.until", { when: dateTime(until) });
}

export function pin(app: AppContext, thread: Thread): void {
  void app.toasts.attempt(() => app.client.pin(thread.threadId, !thread.mine.pinned));
}

export function mute(app: AppContext, thread: Thread, span: MuteFor | null): void {
  const until = span === null ? null : new Date(Date.now() + SPANS[span]);
  void app.toasts.attempt(() => app.client.mute(thread.threadId, until));
}

export function requireSafeMode(app: AppContext, thread: Thread): void {
  void app.toasts.attempt(() => app.client.requireSafeMode(thread.threadId, !thread.safeModeRequired));
}

export function toggleMute(app: AppContext, thread: Thread): void {
  mute(app, thread, isMuted(thread) ? null : "always");
}

export async function archive(app: AppContext, thread: Thread): Promise<void> {
  const on = !thread.mine.archived;
  const set = (value: boolean): Promise<void> => app.client.archive(thread.threadId, value);
  if (!(await app.toasts.attempt(() => set(on)))) return;
  const undo = { name: t("app.undo"), run: () => void app.toasts.attempt(() => set(!on)) };
  app.toasts.show(t(on ? "thread.archived" : "thread.unarchived"), undo);
  if (on) app.router.inbox();
}

export async function hide(app: AppContext, thread: Thread): Promise<void> {
  const on = !thread.mine.hidden;
  const set = (value: boolean): Promise<void> => app.client.hide(thread.threadId, value);
  if (!(await app.toasts.attempt(() => set(on)))) return;
  const undo = { name: t("app.undo"), run: () => void app.toasts.attempt(() => set(!on)) };
  app.toasts.show(t(on ? "thread.hiddenDone" : "thread.unarchived"), undo);
  if (on) app.router.inbox();
}

export async function spam(app: AppContext, thread: Thread): Promise<void> {
  const on = !thread.mine.spam;
  const set = (value: boolean): Promise<void> => app.client.spam(thread.threadId, value);
  if (!(await app.toasts.attempt(() => set(on)))) return;
  const undo = { name: t("app.undo"), run: () => void app.toasts.attempt(() => set(!on)) };
  app.toasts.show(t(on ? "thread.spammed" : "thread.unarchived"), undo);
  if (on) app.router.inbox();
}

export async function markUnread(app: AppContext, thread: Thread): Promise<void> {
  app.router.inbox();
  if (await app.toasts.attempt(() => app.client.markUnread(thread.threadId))) {
    app.toasts.show(t("thread.marked"));
  }
}

export async function leave(app: AppContext, thread: Thread): Promise<void> {
  if (!(await app.toasts.attempt(() => app.client.leave(thread.threadId)))) return;
  app.toasts.show(t("thread.left"));
  app.router.inbox();
}

export async function block(app: AppContext, thread: Thread, userId: string): Promise<void> {
  const name = app.name(userId);
  if (!(await app.toasts.attempt(() => app.client.block(userId, thread.threadId)))) return;
  app.toasts.show(t("thread.blocked", { name }));
  app.router.inbox();
}
