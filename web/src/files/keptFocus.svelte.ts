// Keeps the focus within an element whose focused button is replaced by another one.

/** `tracked` reads the state that the buttons depend on. */
export function keepFocus(place: () => HTMLElement | undefined, tracked: () => unknown): void {
  let hadFocus = false;
  const hasFocus = (): boolean => {
    const root = place()?.getRootNode() as Document | ShadowRoot | undefined;
    return place()?.contains(root?.activeElement ?? null) ?? false;
  };
  $effect.pre(() => {
    tracked();
    hadFocus = hasFocus();
  });
  $effect(() => {
    tracked();
    if (hadFocus && !hasFocus()) place()?.querySelector<HTMLElement>("button, a")?.focus();
  });
}
