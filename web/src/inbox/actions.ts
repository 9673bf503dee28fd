// The actions on a thread, for the menu, the panel and the keys, each with its way back.
import { isMuted, type Thread } from "../client";
import type { Room } from "../app/room.svelte";
import { moment, t } from "../strings";

export type MuteFor = "hour" | "day" | "week" | "always";

const HOUR = 3_600_000;
const SPANS: Record<MuteFor, number> = {
  hour: HOUR,
  day: 24 * HOUR,
  week: 168 * HOUR,
  always: 10 * 365 * 24 * HOUR,
};

/** "until 14 May", or nothing where it is for good. */
export function mutedUntil(thread: Thread): string | null {
  const until = thread.mine.mutedUntil;
  if (until === null || Date.parse(until) - Date.now() > SPANS.always / 2) return null;
  return t("mute.until", { when: moment(until) });
}

export function pin(room: Room, thread: Thread): void {
  void room.toasts.trying(() => room.client.pin(thread.threadId, !thread.mine.pinned));
}

export function mute(room: Room, thread: Thread, span: MuteFor | null): void {
  const until = span === null ? null : new Date(Date.now() + SPANS[span]);
  void room.toasts.trying(() => room.client.mute(thread.threadId, until));
}

export function toggleMute(room: Room, thread: Thread): void {
  mute(room, thread, isMuted(thread) ? null : "always");
}

export async function archive(room: Room, thread: Thread): Promise<void> {
  const on = !thread.mine.archived;
  const set = (value: boolean): Promise<void> => room.client.archive(thread.threadId, value);
  if (!(await room.toasts.trying(() => set(on)))) return;
  const undo = { name: t("app.undo"), run: () => void room.toasts.trying(() => set(!on)) };
  room.toasts.show(t(on ? "thread.archived" : "thread.unarchived"), undo);
  if (on) room.router.inbox();
}

export async function hide(room: Room, thread: Thread): Promise<void> {
  const on = !thread.mine.hidden;
  const set = (value: boolean): Promise<void> => room.client.hide(thread.threadId, value);
  if (!(await room.toasts.trying(() => set(on)))) return;
  const undo = { name: t("app.undo"), run: () => void room.toasts.trying(() => set(!on)) };
  room.toasts.show(t(on ? "thread.hid" : "thread.unarchived"), undo);
  if (on) room.router.inbox();
}

export async function spam(room: Room, thread: Thread): Promise<void> {
  const on = !thread.mine.spam;
  const set = (value: boolean): Promise<void> => room.client.spam(thread.threadId, value);
  if (!(await room.toasts.trying(() => set(on)))) return;
  const undo = { name: t("app.undo"), run: () => void room.toasts.trying(() => set(!on)) };
  room.toasts.show(t(on ? "thread.spammed" : "thread.unarchived"), undo);
  if (on) room.router.inbox();
}

export async function markUnread(room: Room, thread: Thread): Promise<void> {
  room.router.inbox();
  if (await room.toasts.trying(() => room.client.markUnread(thread.threadId))) {
    room.toasts.show(t("thread.marked"));
  }
}

export async function leave(room: Room, thread: Thread): Promise<void> {
  if (!(await room.toasts.trying(() => room.client.leave(thread.threadId)))) return;
  room.toasts.show(t("thread.left"));
  room.router.inbox();
}

export async function block(room: Room, thread: Thread, userId: string): Promise<void> {
  const name = room.name(userId);
  if (!(await room.toasts.trying(() => room.client.block(userId, thread.threadId)))) return;
  room.toasts.show(t("thread.blocked", { name }));
  room.router.inbox();
}
