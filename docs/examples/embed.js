// All that a page has to do: say how to get a token. It is asked for at first, and again before the
// last one expires; a page that cannot get one throws.
const inbox = document.querySelector("greenroom-inbox");
const server = inbox.getAttribute("api");

inbox.token = async () => {
  const answer = await fetch(`${server}/demo/sign-in`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username: "maya" }),
  });
  if (!answer.ok) throw new Error("no token");
  return (await answer.json()).token;
};

// What the page may want to show of it elsewhere.
inbox.addEventListener("greenroom:unread", (event) => {
  document.querySelector("#unread").textContent = event.detail.unread > 0 ? `(${event.detail.unread})` : "";
});
