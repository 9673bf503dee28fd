// Where the app begins: the shell is put into the page, and nothing else happens here.
import { mount } from "svelte";
import App from "./App.svelte";

const target = document.getElementById("app");
if (target !== null) mount(App, { target });
