/** Computes a value on first use and caches it. An error is not cached: the next call tries again. */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
