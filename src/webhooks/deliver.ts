import type { App } from '../app.ts';
import { later } from '../platform/clock.ts';
import type { Claimed } from './claim.ts';
import { ownHeaders, type Sent } from './exchange.ts';
import { outcomeOf, type Outcome } from './outcome.ts';
import type { Answered } from './answered.ts';
import type { Letter, Post } from './post.ts';
import type { Random } from './schedule.ts';
import { signingKeys } from './secrets.ts';
import { messageId, sign } from './signature.ts';
import { mayGoPrivate } from './target.ts';

export interface Hands {
  readonly post: Post;
  readonly random: Random;
  readonly userAgent: string;
}

/** Signs, posts, judges. Whatever goes wrong is an outcome of this one message and never an error of the sender. */
export async function deliver(
  app: App,
  claimed: Claimed,
  { post, random, userAgent }: Hands,
): Promise<Outcome> {
  const message = written(app, claimed, userAgent);
  const answered = typeof message === 'string' ? unsent(message) : await post.send(message.letter);
  const sent = typeof message === 'string' ? null : message.sent;
  return outcomeOf(claimed, { ...answered, sent }, { now: app.clock.now(), random });
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
    // Signed with the system's moment, chosen keys by the tenant's: a receiver compares the timestamp with its own
    // clock, while the overlap of a rotation is one of the terms that a moved sandbox clock moves.
    const at = app.clock.now();
    const keys = signingKeys(endpoint.secrets(), later(at, row.clock_offset_ms));
    const id = messageId(row.event_id);
    const custom = endpoint.headers();
    const sent: Sent = {
      url: endpoint.url,
      custom: Object.keys(custom),
      user_agent: userAgent,
      ...sign({ id, at, body }, keys),
      test: event.test,
    };
    const headers = byTurns(custom, ownHeaders(id, sent));
    const privateAllowed = mayGoPrivate(app.config, row.environment);
    return { letter: { address: endpoint.address(), headers, body, privateAllowed }, sent };
  } catch (error) {
    app.log.error({ err: error, delivery_id: row.id, team_id: row.team_id }, 'a message cannot be written');
    return 'The message cannot be written';
  }
}

function byTurns(...all: readonly Record<string, string>[]): string[] {
  const turns: string[] = [];
  for (const some of all) {
    for (const [name, value] of Object.entries(some)) turns.push(name, value);
  }
  return turns;
}

const unsent = (error: string): Answered => ({
  statusCode: null,
  error,
  durationMs: 0,
  response: '',
  headers: {},
  retryAfter: undefined,
});
