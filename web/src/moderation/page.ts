// The moderation page. The query parameter `person` is the user whose history is shown.
import type { Page } from "../app/pages";

export const page: Page = {
  name: "moderation",
  paths: ["/moderation"],
  href: "/moderation",
  title: "nav.moderation",
  view: { load: () => import("./Moderation.svelte") },
  shortcut: "goModeration",
  isVisible: (app) => app.isModerator,
  nav: [
    {
      section: "pages",
      order: 1,
      href: "/moderation",
      label: "nav.moderation",
      icon: "shield",
      isCurrent: (route) => route.page === page,
    },
  ],
};
