// The page for a new conversation. The query parameter `to` is the recipient's user id.
import type { Page } from "../app/pages";

export const page: Page = {
  name: "new",
  paths: ["/new"],
  href: "/new",
  title: "nav.new",
  view: { load: () => import("./NewConversation.svelte") },
  shortcut: "new",
};
