/** How long a connection, and the answers to a batch, may take. */
export const PATIENCE_MS = 10_000;
/** How a body speaks with its broker; what is left out is as in the service. */
export interface BrokerOptions {
  /** How long a connection may take. */
  readonly connectMs?: number;
  /** How long the answers to a batch may take. */
  readonly answerMs?: number;
  /** The authority that vouches for the broker, in PEM. */
  readonly ca?: string | undefined;
}

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
  if (/wrong version number/.test(text)) return 'No TLS is spoken there';
  return text === '' ? 'The connection failed' : text;
};

/** What fails while connecting to a place names it. */
export const at = <T>(place: string, connecting: Promise<T>): Promise<T> =>
  connecting.catch((error: unknown) => {
    throw new Error(`${place}: ${reasonOf(error)}`, { cause: error });
  });

/** Tries one after the other; fails with the reason of the last, or with those of all, joined by what is given. */
export async function firstThatWorks<A, T>(
  all: readonly A[],
  one: (each: A) => Promise<T>,
  joint?: string,
): Promise<T> {
  const failures: unknown[] = [];
  for (const each of all) {
    try {
      return await one(each);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length === 0) throw new Error('There is no address to connect to');
  throw joint === undefined ? failures.at(-1) : new Error(failures.map(reasonOf).join(joint));
}
