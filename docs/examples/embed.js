// All that a page has to do: say how to get a token. It is asked for at first, and again before the
// last one expires; a page that cannot get one throws. This page has nobody to ask but its reader.
const inbox = document.querySelector("greenroom-inbox");
const form = document.querySelector("form");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const token = new FormData(form).get("token").trim();
  inbox.token = () => token; // elsewhere: async () => (await fetch("/my/greenroom-token")).text()
  inbox.hidden = false;
  form.hidden = true;
});

// What the page may want to show of it elsewhere.
inbox.addEventListener("greenroom:unread", (event) => {
  const { unread } = event.detail;
  document.querySelector("#unread").textContent = unread > 0 ? `(${unread})` : "";
});
