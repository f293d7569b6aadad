/** How long a connection, and the answers to a batch, may take. */
export const PATIENCE_MS = 10_000;
/** How many addresses of one host are tried. */
export const ADDRESSES_MAX = 3;

/** Answers whether it came in time; a failure counts as come. */
export async function inTime(work: Promise<unknown>, patienceMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), patienceMs);
  });
  const done = work.then(
    () => true,
    () => true,
  );
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}

export const reasonOf = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  return text === '' ? 'The connection failed' : text;
};

/** Tries one after the other; fails with the reason of the last. */
export async function firstThatWorks<A, T>(all: readonly A[], one: (each: A) => Promise<T>): Promise<T> {
  let last: unknown = new Error('There is no address to connect to');
  for (const each of all) {
    try {
      return await one(each);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}
