// <greenroom-inbox>: embeds the inbox in any page, with one script tag and a function that returns a token.
//
//     <script type="module" src="https://messages.example.com/greenroom-inbox.js"></script>
//     <greenroom-inbox api="https://messages.example.com" theme="light" thread="thr_…"></greenroom-inbox>
//     <script type="module">
//       document.querySelector("greenroom-inbox").token = async () => (await fetch("/my/token")).text();
//     </script>
//
// Careful: the token is never an attribute, where markup and other scripts would expose it. The function
// is called when a token is needed, and again before it expires; nothing loads until it is set. Styles
// are adopted stylesheets, which a strict CSP allows.
import { mount, unmount } from "svelte";
import { createClient, type Client } from "./client";
import { Keys } from "./app/keys";
import { Prefs } from "./app/prefs.svelte";
import { AppContext, type ChoosePaymentMethod } from "./app/appContext.svelte";
import { collectPages } from "./app/pages";
import { Router } from "./app/router.svelte";
import Shell from "./app/Shell.svelte";
import styles from "./styles/app.css?inline";

type Token = () => string | Promise<string>;

/** The server that serves this script also serves the API, unless `api` says otherwise. */
const HOME = new URL(import.meta.url).origin;

const PAGES = collectPages(import.meta.glob("./**/page.embed.ts", { eager: true }));

let sheet: CSSStyleSheet | null = null;

/** One stylesheet for all elements of the page. */
function adopted(): CSSStyleSheet {
  if (sheet === null) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
  }
  return sheet;
}

class GreenroomInbox extends HTMLElement {
  static readonly observedAttributes = ["api", "theme", "thread"];

  /** Called when the user is about to pay for something: resolves to a token of your payment provider for
   * their payment method, or to null if they cancel. Without it, cards that cost something can't be accepted here. */
  onPaymentMethod: ChoosePaymentMethod | null = null;
  #token: Token | null = null;
  #running: { client: Client; router: Router; keys: Keys; shell: Record<string, unknown> } | null =
    null;
  #unread = (): void => undefined;
  readonly #root = this.attachShadow({ mode: "open" });

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [adopted()];
  }

  /** Called whenever a token is needed. Set it before or after adding the element to the page. */
  get token(): Token | null {
    return this.#token;
  }

  set token(token: Token | null) {
    this.#token = token;
    this.#stop();
    this.#start();
  }

  /** Opens a conversation, like setting the attribute `thread`. */
  open(threadId: string): void {
    this.#running?.router.inbox("all", threadId);
  }

  connectedCallback(): void {
    // It was set before the class was defined: an own property, which hides the accessor.
    if (Object.hasOwn(this, "token")) {
      const given = (this as { token: Token | null }).token;
      Reflect.deleteProperty(this, "token");
      this.token = given;
    }
    this.#start();
  }

  disconnectedCallback(): void {
    this.#stop();
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now) return;
    if (name === "theme") this.#theme();
    else if (name === "thread" && now !== null) this.open(now);
    else if (name === "api" && this.#running) {
      this.#stop();
      this.#start();
    }
  }

  #theme(): void {
    const theme = this.getAttribute("theme");
    if (theme === "light" || theme === "dark") this.dataset["theme"] = theme;
    else delete this.dataset["theme"];
  }

  #start(): void {
    const token = this.#token;
    if (token === null || this.#running || !this.isConnected) return;
    this.#theme();
    const api = (this.getAttribute("api") ?? HOME).replace(/\/$/, "");
    const client = createClient({ token, api });
    const router = new Router(PAGES, { inAddressBar: false });
    const prefs = new Prefs(this);
    const keys = new Keys(() => prefs.keys);
    const app = new AppContext({
      client,
      router,
      prefs,
      keys,
      embedded: true,
      leave: () => this.#stop(),
    });
    app.payments = async (request) => (await this.onPaymentMethod?.(request)) ?? null;
    const thread = this.getAttribute("thread");
    if (thread !== null) router.inbox("all", thread);
    this.addEventListener("keydown", keys.handle);
    this.#unread = client.counts.subscribe((counts) => {
      if (counts) this.#tell("greenroom:unread", { unread: counts.badge });
    });
    const shell = mount(Shell, { target: this.#root, props: { app } });
    this.#running = { client, router, keys, shell };
    this.#tell("greenroom:ready", {});
  }

  #stop(): void {
    const running = this.#running;
    if (!running) return;
    this.#running = null;
    this.#unread();
    this.removeEventListener("keydown", running.keys.handle);
    void unmount(running.shell);
    running.client.close();
    this.#root.replaceChildren();
  }

  #tell(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}

if (!customElements.get("greenroom-inbox"))
  customElements.define("greenroom-inbox", GreenroomInbox);

declare global {
  interface HTMLElementTagNameMap {
    "greenroom-inbox": GreenroomInbox;
  }
}
