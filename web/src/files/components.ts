// The components that show the files of messages, in one module that is loaded with the first of them.
export { default as Attachments } from "./Attachments.svelte";
export { default as OutgoingFiles } from "./OutgoingFiles.svelte";
export { default as OutgoingState } from "./OutgoingState.svelte";
