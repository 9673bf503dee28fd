// The settings page. Its link is in the account menu.
import type { Page } from "../app/pages";

export const page: Page = {
  name: "settings",
  paths: ["/settings"],
  href: "/settings",
  title: "nav.settings",
  view: { load: () => import("./Settings.svelte") },
  shortcut: "goSettings",
  nav: [
    {
      section: "account",
      order: 1,
      href: "/settings",
      label: "nav.settings",
      icon: "settings",
      isCurrent: (route) => route.page === page,
    },
  ],
};
