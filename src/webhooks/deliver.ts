import type { App } from '../app.ts';
import type { Claimed } from './claim.ts';
import { ownHeaders, type Sent } from './exchange.ts';
import { outcomeOf, type Outcome } from './outcome.ts';
import type { Answered } from './answered.ts';
import type { Letter, Post } from './post.ts';
import type { Random } from './schedule.ts';
import { keysOf, signedLately } from './signing/ahead.ts';
import { messageId, sign } from './signing/signature.ts';
import { mayGoPrivate } from './target.ts';

export interface Hands {
  readonly post: Post;
  readonly random: Random;
  readonly userAgent: string;
}

/**
 * Signs, posts, judges. Whatever goes wrong is an outcome of this one message and never an error of the sender. It is told
 * by a call and not by a promise: hundreds are on their way at once, and each promise lives as long as its message.
 */
export function deliver(
  app: App,
  claimed: Claimed,
  { hands: { post, random, userAgent }, ended }: { hands: Hands; ended: (outcome: Outcome) => void },
): void {
  const message = written(app, claimed, userAgent);
  const isSent = typeof message !== 'string';
  const judge = (answered: Answered) =>
    ended(
      outcomeOf(claimed, { answered, sent: isSent ? message.sent : null }, { now: app.clock.now(), random }),
    );
  if (isSent) post.send(message.letter, judge);
  else setImmediate(judge, unsent(message));
}

interface Message {
  readonly letter: Letter;
  readonly sent: Sent;
}

/** The message in its envelope, or why it cannot be written. */
function written(app: App, claimed: Claimed, userAgent: string): Message | string {
  const { row, event, endpoint, cipher } = claimed;
  if (!endpoint) return 'The endpoint cannot be read';
  try {
    const body = event.body(cipher);
    const id = messageId(row.event_id);
    const at = app.clock.now();
    const { timestamp, signature } = signedLately(claimed, at) ?? sign({ id, at, body }, keysOf(claimed, at));
    const custom = endpoint.headers();
    const sent: Sent = {
      url: endpoint.url,
      custom: custom.names,
      user_agent: userAgent,
      timestamp,
      signature,
      test: event.test,
    };
    const own = ownHeaders(id, sent);
    const headers = custom.turns.length > 0 ? [...custom.turns, ...own] : own;
    const privateAllowed = mayGoPrivate(app.config, row.environment);
    return { letter: { address: endpoint.address(), headers, body, privateAllowed }, sent };
  } catch (error) {
    app.log.error({ err: error, delivery_id: row.id, team_id: row.team_id }, 'a message cannot be written');
    return 'The message cannot be written';
  }
}

const unsent = (error: string): Answered => ({
  statusCode: null,
  error,
  durationMs: 0,
  response: '',
  headers: {},
  retryAfter: undefined,
});
