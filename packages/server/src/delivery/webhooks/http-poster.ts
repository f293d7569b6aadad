import { Agent, type Dispatcher } from 'undici';
import type { WebhookResponse } from './response.ts';
import { TARGET_SCOPES, type TargetScope } from '../../platform/public-address.ts';
import { scopedConnector } from '../../platform/network/connector.ts';
import { openDeadlines, type Deadlines } from './deadlines.ts';
import { ResponseCollector } from './response-collector.ts';
import type { ResolveHostname } from '../../platform/network/resolve.ts';

/** The target of a message, split for the connection pool. */
export interface RequestAddress {
  readonly origin: string;
  readonly path: string;
}

export interface HttpRequest {
  readonly address: RequestAddress;
  /** Alternating names and values. */
  readonly headers: string[];
  readonly body: string | Buffer;
  readonly scope: TargetScope;
}

export interface HttpPoster {
  /** Sends one request and reports the result within the timeout; never throws. */
  send(letter: HttpRequest, ended: (answered: WebhookResponse) => void): void;
  close(): Promise<void>;
}

export const TIMEOUT_MS = 15_000;
const KEEP_ALIVE_MS = 10_000;

export function addressOf(url: string): RequestAddress {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: `${pathname}${search}` };
}

export interface HttpPosterOptions {
  readonly resolve?: ResolveHostname;
  /** Tracks the deadline of each request; tests control it. */
  readonly deadlinesOf?: (
    patienceMs: number,
    over: (posting: ResponseCollector) => void,
  ) => Deadlines<ResponseCollector>;
}

/** Posts over keep-alive connections. Redirects are not followed and count as responses. */
export function openHttpPoster(
  patienceMs: number = TIMEOUT_MS,
  { resolve, deadlinesOf = openDeadlines }: HttpPosterOptions = {},
): HttpPoster {
  // The timeout covers the whole exchange, not each part of it as in undici.
  const openAgent = (scope: TargetScope) =>
    new Agent({
      connect: scopedConnector(scope, patienceMs, resolve),
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
    });
  // A connection of a wider scope is never used for a narrower one.
  const agents: Record<TargetScope, Agent> = {
    public: openAgent('public'),
    loopback: openAgent('loopback'),
    private: openAgent('private'),
  };
  const late = `No complete answer within ${patienceMs / 1000} s`;
  const deadlines = deadlinesOf(patienceMs, (posting) => posting.giveUp(late));
  return {
    send: ({ address, headers, body, scope }, ended) => {
      const posting = new ResponseCollector((answered) => {
        deadlines.delete(posting);
        ended(answered);
      });
      deadlines.add(posting);
      // Field by field: spreading the address made every access of undici to the request slow.
      const { origin, path } = address;
      const what: Dispatcher.DispatchOptions = { origin, path, method: 'POST', headers, body };
      agents[scope].dispatch(what, posting);
    },
    close: async () => {
      deadlines.close();
      await Promise.all(TARGET_SCOPES.map((scope) => agents[scope].destroy()));
    },
  };
}
