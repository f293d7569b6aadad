/** Default timeout of a connection attempt, and of the acknowledgements of a batch. */
export const TIMEOUT_MS = 10_000;
/** Options of both broker implementations. */
export interface BrokerOptions {
  /** Timeout of a connection attempt. */
  readonly connectMs?: number;
  /** Timeout of the acknowledgements of a batch. */
  readonly acknowledgeMs?: number;
  /** The CA of the broker's certificate, in PEM. */
  readonly ca?: string | undefined;
}

/** Maximum number of addresses tried for one host. */
export const ADDRESSES_MAX = 3;

/** Whether the work settled within the timeout; a rejection counts as settled. */
export async function hasSettledWithin(work: Promise<unknown>, patienceMs: number): Promise<boolean> {
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

export const describeError = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  if (/wrong version number/.test(text)) return 'The server does not support TLS on this port';
  return text === '' ? 'The connection failed' : text;
};

/** Prefixes a connection error with the address it concerns. */
export const addAddressToError = <T>(place: string, connecting: Promise<T>): Promise<T> =>
  connecting.catch((error: unknown) => {
    throw new Error(`${place}: ${describeError(error)}`, { cause: error });
  });

/** Tries each in turn. If all fail, throws the last error, or with `joint` one error with all reasons joined by it. */
export async function tryInOrder<A, T>(
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
  if (failures.length === 0) throw new Error('The host has no address to connect to');
  throw joint === undefined ? failures.at(-1) : new Error(failures.map(describeError).join(joint));
}
