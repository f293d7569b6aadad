import { SECOND, type Clock } from '../clock.ts';
import { DomainError } from '../errors.ts';

/** While a response is streamed, its caller is authenticated again when this time has passed since the last time. */
const RECHECK_MS = 3 * SECOND;

/**
 * Ends a stream with an error, which cuts the connection, when the caller may no longer make the request: a key may be
 * revoked, or bound to other teams, while a long file is sent. `describeGrant` authenticates the caller and says what
 * it may do.
 */
export async function* whilePermitted(
  clock: Clock,
  { granted, describeGrant }: { granted: string; describeGrant: () => Promise<string> },
  pieces: AsyncIterable<string>,
): AsyncGenerator<string, void> {
  let checkedAt = clock.now().getTime();
  for await (const piece of pieces) {
    const now = clock.now().getTime();
    if (Math.abs(now - checkedAt) >= RECHECK_MS) {
      if ((await describeGrant()) !== granted)
        throw new DomainError('unauthorized', 'The caller no longer has the permissions of this request');
      checkedAt = now;
    }
    yield piece;
  }
}

/** Reads the first chunk in advance, so that an error before it can still become an error response. */
export async function startStream(pieces: AsyncIterable<string>): Promise<AsyncIterable<string>> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    if (first.done === true) return;
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
}
