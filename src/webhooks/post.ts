import { Agent, type Dispatcher } from 'undici';
import type { Answered } from './answered.ts';
import { openConnector, publicConnector } from './connect.ts';
import { openDeadlines, type Deadlines } from './deadlines.ts';
import { Posting } from './posting.ts';
import type { Resolve } from './resolve.ts';

/** Where a message goes, as a connection needs it. */
export interface Address {
  readonly origin: string;
  readonly path: string;
}

export interface Letter {
  readonly address: Address;
  /** Names and values by turns. */
  readonly headers: string[];
  readonly body: string | Buffer;
  readonly privateAllowed: boolean;
}

export interface Post {
  /** Sends once, and says what came of it within the time that was given, whatever happens; never throws. */
  send(letter: Letter, ended: (answered: Answered) => void): void;
  close(): Promise<void>;
}

export const PATIENCE_MS = 15_000;
const KEEP_ALIVE_MS = 10_000;

export function addressOf(url: string): Address {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: `${pathname}${search}` };
}

export interface PostOptions {
  readonly resolve?: Resolve;
  /** Keeps the time of each exchange; a test ends it by hand. */
  readonly deadlinesOf?: (patienceMs: number, over: (posting: Posting) => void) => Deadlines<Posting>;
}

/** Posts over connections that are kept; redirects are answers like any other and are not followed. */
export function openPost(
  patienceMs: number = PATIENCE_MS,
  { resolve, deadlinesOf = openDeadlines }: PostOptions = {},
): Post {
  // The time is kept for the whole exchange, and not by undici for each part of it.
  const agent = (connect: ReturnType<typeof openConnector>) =>
    new Agent({ connect, keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 });
  const open = agent(openConnector(patienceMs, resolve));
  const guarded = agent(publicConnector(patienceMs, resolve));
  const late = `No complete answer within ${patienceMs / 1000} s`;
  const deadlines = deadlinesOf(patienceMs, (posting) => posting.giveUp(late));
  return {
    send: ({ address, headers, body, privateAllowed }, ended) => {
      const posting = new Posting((answered) => {
        deadlines.delete(posting);
        ended(answered);
      });
      deadlines.add(posting);
      // Field by field: spread into it, an address made every look of undici's at the request a slow one.
      const { origin, path } = address;
      const what: Dispatcher.DispatchOptions = { origin, path, method: 'POST', headers, body };
      (privateAllowed ? open : guarded).dispatch(what, posting);
    },
    close: async () => {
      deadlines.close();
      await Promise.all([open.destroy(), guarded.destroy()]);
    },
  };
}
