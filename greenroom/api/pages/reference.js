// Shows the API reference. In a demo, calls are tried as one of the sample people.
(async () => {
  const key = "greenroom-reference-person";
  const sample = await demoSample();
  const bearer = sample ? { token: sample.token } : {};
  window.Scalar.createApiReference("#reference", {
    url: "/schema/openapi.json",
    servers: [{ url: location.origin, description: "This server" }],
    authentication: { preferredSecurityScheme: "bearer", securitySchemes: { bearer } },
    metaData: { title: "Greenroom API reference" },
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    hideTestRequestButton: false,
    persistAuth: false,
    showDeveloperTools: "never",
    telemetry: false,
    withDefaultFonts: false,
  });
  if (sample) showPicker(sample);

  async function demoSample() {
    const listed = await fetch("/demo/people").catch(() => null);
    if (!listed?.ok) return null;
    const { people } = await listed.json();
    const chosen = people.find((one) => one.username === sessionStorage.getItem(key)) ?? people[0];
    const signedIn = await fetch("/demo/sign-in", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ username: chosen.username }),
    });
    if (!signedIn.ok) return null;
    return { people, username: chosen.username, token: (await signedIn.json()).token };
  }

  function showPicker({ people, username }) {
    const label = document.createElement("label");
    label.id = "demo-person";
    label.style.cssText =
      "position:fixed;right:16px;bottom:16px;z-index:100;padding:8px 12px;border-radius:8px;" +
      "background:var(--scalar-background-1,Canvas);color:var(--scalar-color-1,CanvasText);" +
      "border:1px solid var(--scalar-border-color,GrayText);box-shadow:0 2px 8px #0002;" +
      "font:14px var(--scalar-font,system-ui)";
    label.append("Try calls as ");
    const select = document.createElement("select");
    select.style.cssText = "font:inherit;color:inherit;background:inherit;margin-left:4px";
    for (const one of people) {
      select.add(new Option(one.displayName, one.username, false, one.username === username));
    }
    select.addEventListener("change", () => {
      sessionStorage.setItem(key, select.value);
      location.reload();
    });
    label.append(select);
    document.body.append(label);
  }
})();
