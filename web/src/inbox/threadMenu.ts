// The menu of a thread; the details show part of it. Actions that cannot be undone ask first: the caller
// shows the dialog (`ask`).
import type { AppContext } from "../app/appContext.svelte";
import type { MenuItem } from "../app/ui/Menu.svelte";
import { isMuted, type Thread } from "../client";
import { t } from "../strings";
import { requestForMe, canArchive } from "./permissions";
import { archive, block, hide, leave, markUnread, mute, pin, spam } from "./threadActions";

export type MenuDialog =
  | { is: "report" }
  | { is: "confirm"; what: { title: string; text: string; act: string; run: () => void } };

export function threadMenu(app: AppContext, thread: Thread, ask: (next: MenuDialog) => void): MenuItem[] {
  const muteItems: MenuItem[] = isMuted(thread)
    ? [{ name: t("thread.unmute"), icon: "bell", key: "m", run: () => mute(app, thread, null) }]
    : [{ name: t("thread.mute"), icon: "mute", key: "m", run: () => mute(app, thread, "always") }];
  return [
    {
      name: t(thread.mine.pinned ? "thread.unpin" : "thread.pin"),
      icon: "pin",
      key: "p",
      run: () => pin(app, thread),
    },
    ...muteItems,
    ...(canArchive(thread, app.myId)
      ? ([
          {
            name: t(thread.mine.archived ? "thread.unarchive" : "thread.archive"),
            icon: "archived",
            key: "e",
            run: () => void archive(app, thread),
          },
        ] as const)
      : []),
    {
      name: t(thread.mine.hidden ? "thread.unhide" : "thread.hide"),
      icon: "hidden",
      run: () => void hide(app, thread),
    },
    {
      name: t("thread.unread"),
      icon: "unread",
      key: "u",
      run: () => void markUnread(app, thread),
    },
    {
      name: t(thread.mine.spam ? "thread.notSpam" : "thread.spam"),
      icon: "spam",
      run: () => void spam(app, thread),
    },
    ...destructiveItems(app, thread, ask),
  ];
}

/** The other person is not told when the user leaves a thread of two. A group with two members left looks the same. */
function leaveText(thread: Thread): "thread.leaveText" | "thread.leavePairText" | "thread.leaveDirectText" {
  if (thread.kind === "direct") return "thread.leaveDirectText";
  return thread.participants.length === 2 ? "thread.leavePairText" : "thread.leaveText";
}

/** Report, block and leave: they affect others or cannot be undone. */
export function destructiveItems(app: AppContext, thread: Thread, ask: (next: MenuDialog) => void): MenuItem[] {
  const others = app.others(thread);
  const only = others.length === 1 ? others[0] : undefined;
  const items: MenuItem[] = [
    { name: t("thread.report"), icon: "flag", hasSeparator: true, run: () => ask({ is: "report" }) },
  ];
  if (only !== undefined) {
    const name = app.name(only);
    const what = {
      title: t("thread.blockTitle", { name }),
      text: t("thread.blockText"),
      act: t("thread.blockDo"),
      run: () => void block(app, thread, only),
    };
    items.push({
      name: t("thread.block", { name }),
      icon: "block",
      danger: true,
      run: () => ask({ is: "confirm", what }),
    });
  }
  if (requestForMe(thread, app.myId)) return items; // decline the request instead of leaving
  const what = {
    title: t("thread.leaveTitle"),
    text: t(leaveText(thread)),
    act: t("thread.leaveDo"),
    run: () => void leave(app, thread),
  };
  items.push({
    name: t("thread.leave"),
    icon: "leave",
    danger: true,
    run: () => ask({ is: "confirm", what }),
  });
  return items;
}
