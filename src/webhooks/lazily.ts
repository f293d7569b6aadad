/** Made when it is first asked for; a failure is no answer, and is met again by the next who asks. */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
