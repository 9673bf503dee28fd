// The actions on a thread as choices of a menu; the panel shows the same. What cannot be undone asks
// first: the caller shows the question (`ask`).
import type { Room } from "../app/room.svelte";
import type { Choice } from "../app/ui/Menu.svelte";
import { isMuted, type Thread } from "../client";
import { t } from "../strings";
import { askedOfMe, mayArchive } from "./standing";
import { archive, block, hide, leave, markUnread, mute, pin, spam } from "./actions";

export type Ask =
  | { is: "report" }
  | { is: "confirm"; what: { title: string; text: string; act: string; run: () => void } };

export function choicesOf(room: Room, thread: Thread, ask: (next: Ask) => void): Choice[] {
  const muting: Choice[] = isMuted(thread)
    ? [{ name: t("thread.unmute"), icon: "bell", key: "m", run: () => mute(room, thread, null) }]
    : [{ name: t("thread.mute"), icon: "mute", key: "m", run: () => mute(room, thread, "always") }];
  return [
    {
      name: t(thread.mine.pinned ? "thread.unpin" : "thread.pin"),
      icon: "pin",
      key: "p",
      run: () => pin(room, thread),
    },
    ...muting,
    ...(mayArchive(thread, room.myId)
      ? ([
          {
            name: t(thread.mine.archived ? "thread.unarchive" : "thread.archive"),
            icon: "archived",
            key: "e",
            run: () => void archive(room, thread),
          },
        ] as const)
      : []),
    {
      name: t(thread.mine.hidden ? "thread.unhide" : "thread.hide"),
      icon: "hidden",
      run: () => void hide(room, thread),
    },
    {
      name: t("thread.unread"),
      icon: "unread",
      key: "u",
      run: () => void markUnread(room, thread),
    },
    {
      name: t(thread.mine.spam ? "thread.notSpam" : "thread.spam"),
      icon: "spam",
      run: () => void spam(room, thread),
    },
    ...grave(room, thread, ask),
  ];
}

/** Nobody is told that one leaves a pair. A group of which two are left looks like a pair here. */
function leaveText(thread: Thread): "thread.leaveText" | "thread.leavePairText" | "thread.leaveDirectText" {
  if (thread.kind === "direct") return "thread.leaveDirectText";
  return thread.participants.length === 2 ? "thread.leavePairText" : "thread.leaveText";
}

/** What is felt by others, or cannot be taken back. */
export function grave(room: Room, thread: Thread, ask: (next: Ask) => void): Choice[] {
  const others = room.others(thread);
  const only = others.length === 1 ? others[0] : undefined;
  const choices: Choice[] = [
    { name: t("thread.report"), icon: "flag", apart: true, run: () => ask({ is: "report" }) },
  ];
  if (only !== undefined) {
    const name = room.name(only);
    const what = {
      title: t("thread.blockTitle", { name }),
      text: t("thread.blockText"),
      act: t("thread.blockDo"),
      run: () => void block(room, thread, only),
    };
    choices.push({
      name: t("thread.block", { name }),
      icon: "block",
      danger: true,
      run: () => ask({ is: "confirm", what }),
    });
  }
  if (askedOfMe(thread, room.myId)) return choices; // declining is leaving
  const what = {
    title: t("thread.leaveTitle"),
    text: t(leaveText(thread)),
    act: t("thread.leaveDo"),
    run: () => void leave(room, thread),
  };
  choices.push({
    name: t("thread.leave"),
    icon: "leave",
    danger: true,
    run: () => ask({ is: "confirm", what }),
  });
  return choices;
}
