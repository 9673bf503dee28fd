// The blurred files that the user has asked to see, until the page is closed.
import { SvelteSet } from "svelte/reactivity";

export const revealed = new SvelteSet<string>();
