// An object whose code is loaded with the first call of one of its methods, which all return promises.

export function lazily<T extends object>(load: () => Promise<T>): T {
  let loading: Promise<T> | null = null;
  const loaded = (): Promise<T> =>
    (loading ??= load().catch((error: unknown) => {
      loading = null; // no connection: the next call tries again
      throw error;
    }));
  return new Proxy({} as T, {
    get(_, name) {
      if (name === "then") return undefined; // it is not a promise itself
      return async (...given: unknown[]): Promise<unknown> => {
        const found = (await loaded()) as Record<string | symbol, (...given: unknown[]) => unknown>;
        return found[name]?.(...given);
      };
    },
  });
}
