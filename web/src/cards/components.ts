// The components of cards in the log, in one module that is loaded with the first of them.
import "../styles/cards.css";
export { default as CardEvent } from "./CardEvent.svelte";
export { default as CardRow } from "./CardRow.svelte";
export { default as DocumentEvent } from "../documents/DocumentEvent.svelte";
