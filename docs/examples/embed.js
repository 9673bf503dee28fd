// All that a page has to do: say how to get a token. It is asked for at first, and again before the
// last one expires; a page that cannot get one throws.
const inbox = document.querySelector("greenroom-inbox");

inbox.token = async () => {
  // Elsewhere: fetch("/my/greenroom-token"), which is this page's own server and knows who is signed in.
  const answer = await fetch(`${inbox.getAttribute("api")}/demo/sign-in`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username: "maya" }),
  });
  if (!answer.ok) throw new Error("no token");
  return (await answer.json()).token;
};

// What the page may want to show of it elsewhere.
inbox.addEventListener("greenroom:unread", (event) => {
  const { unread } = event.detail;
  document.querySelector("#unread").textContent = unread > 0 ? `(${unread})` : "";
});
