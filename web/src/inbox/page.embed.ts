// The inbox page. It is part of the first load, and its folders are entries of the navigation.
import type { NavEntry, Page } from "../app/pages";
import type { IconName } from "../app/ui/icons";
import { t } from "../strings";
import { FOLDERS, folderOf, inboxAddress } from "./folders";
import Inbox from "./Inbox.svelte";

type ListedFolder = (typeof FOLDERS)[number];

const ICONS: Record<ListedFolder, IconName> = {
  all: "inbox",
  action: "bolt",
  bookings: "bookings",
  offers: "offers",
  requests: "requests",
  other: "other",
  archived: "archived",
  hidden: "hidden",
  spam: "spam",
};

/** These folders show no count, so that the counts shown add up to that of All. */
const UNCOUNTED = new Set<ListedFolder>(["archived", "hidden", "spam"]);

function entry(folder: ListedFolder, order: number): NavEntry {
  return {
    section: "folders",
    order,
    href: inboxAddress(folder, null),
    label: `folder.${folder}`,
    icon: ICONS[folder],
    folder,
    badge: (app) => {
      const count = UNCOUNTED.has(folder) ? 0 : (app.counts?.unread[folder] ?? 0);
      const quiet = folder !== "all" && folder !== "action";
      return { count, label: t("folder.unread", { count }), quiet };
    },
    isCurrent: (route) => route.page === page && folderOf(route) === folder,
  };
}

export const page: Page = {
  name: "inbox",
  paths: ["/", "/inbox/:thread?"],
  href: "/inbox",
  title: "nav.inbox",
  view: { component: Inbox },
  shortcut: "goInbox",
  nav: FOLDERS.map(entry),
};
