import type { App } from '../app.ts';
import { eventBody } from '../events/events.ts';
import { later } from '../platform/clock.ts';
import type { Claimed } from './claim.ts';
import { openHeaders } from './headers.ts';
import { outcomeOf, type Outcome } from './outcome.ts';
import type { Answered, Letter, Post } from './post.ts';
import type { Random } from './schedule.ts';
import { openSecrets, signingKeys } from './secrets.ts';
import { messageId, signatureHeaders } from './signature.ts';
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
  const letter = written(app, claimed, userAgent);
  const answered = typeof letter === 'string' ? unsent(letter) : await post.send(letter);
  return outcomeOf(claimed.row, answered, { now: app.clock.now(), random });
}

/** The message in its envelope, or why it cannot be written. */
function written(app: App, { row, endpoint, cipher }: Claimed, userAgent: string): Letter | string {
  if (!endpoint) return 'The endpoint cannot be read';
  try {
    const body = eventBody({ cipher }, row);
    // Signed with the system's moment, chosen keys by the tenant's: a receiver compares the timestamp with its own
    // clock, while the overlap of a rotation is one of the terms that a moved sandbox clock moves.
    const at = app.clock.now();
    const keys = signingKeys(openSecrets(cipher, endpoint.secrets), later(at, row.clock_offset_ms));
    const headers = {
      ...openHeaders(cipher, endpoint.headers),
      'content-type': 'application/json',
      'user-agent': userAgent,
      ...signatureHeaders({ id: messageId(row.event_id), at, body }, keys),
    };
    return { url: endpoint.url, headers, body, privateAllowed: mayGoPrivate(app.config, row.environment) };
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
  retryAfter: undefined,
});
