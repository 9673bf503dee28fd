// Which message has a card: known of the cards that were on screen.
import { SvelteMap } from "svelte/reactivity";

export const messageOfCard = new SvelteMap<string, string>();
