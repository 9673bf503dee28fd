// The page with all scheduled messages. Its entry in the navigation is below the folders.
import type { Page } from "../app/pages";
import { t } from "../strings";

export const page: Page = {
  name: "scheduled",
  paths: ["/scheduled"],
  href: "/scheduled",
  title: "nav.scheduled",
  view: { load: () => import("./Scheduled.svelte") },
  shortcut: "goScheduled",
  nav: [
    {
      section: "folders",
      order: 100,
      href: "/scheduled",
      label: "nav.scheduled",
      icon: "clock",
      badge: (app) => {
        const { messages } = app.scheduled;
        const quiet = messages.every((one) => one.status !== "failed");
        return { count: messages.length, label: t("later.count", { count: messages.length }), quiet };
      },
      isCurrent: (route) => route.page === page,
    },
  ],
};
