import { z } from 'zod';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import { newId } from '../../platform/ids.ts';
import { storableHeaders, type AttemptExchange } from './exchange.ts';
import { numberedId } from './numbered-id.ts';
import type { AttemptOutcome } from './outcome.ts';

const PLACE = 'webhook_attempt_block.attempts';

/** The content of a block. Values that several attempts share are stored once, and attempts refer to them by index. */
const BlockContent = z.object({
  sent: z.array(z.object({ url: z.string(), custom: z.array(z.string()), user_agent: z.string() })),
  answers: z.array(
    z.object({
      status_code: z.int(),
      headers: z.record(z.string(), z.string()),
      response: z.string(),
    }),
  ),
  /**
   * Number in the block, milliseconds since the first attempt, duration in milliseconds, indexes into `sent` and
   * `answers`, timestamp, signature.
   */
  attempts: z.array(z.tuple([z.int(), z.int(), z.int(), z.int(), z.int(), z.string(), z.string()])),
});
type BlockContent = z.output<typeof BlockContent>;

/** One attempt of a block. */
export interface BlockAttempt {
  readonly id: string;
  readonly eventId: string;
  readonly at: Date;
  readonly statusCode: number;
  readonly durationMs: number;
  readonly exchange: AttemptExchange;
}

/** A block as it is stored. */
export interface StoredAttemptBlock {
  readonly id: string;
  readonly first_at: Date;
  readonly event_ids: readonly string[];
  readonly attempts: Buffer;
}

export const newBlockId = (): string => numberedId(newId(), 0);

/** The id of the block that would contain an attempt. */
export const blockIdOf = (attemptId: string): string => numberedId(attemptId, 0);

/** Seals the outcomes of messages to one endpoint that all succeeded at the first attempt. */
export function sealBlock(cipher: TenantCipher, outcomes: readonly AttemptOutcome[]): Buffer {
  const content: BlockContent = { sent: [], answers: [], attempts: [] };
  const [first] = outcomes;
  let before: AttemptOutcome | undefined;
  for (const outcome of outcomes) {
    const { sent, response: answered } = outcome;
    if (sent === null) throw new Error('An attempt that was not sent cannot have succeeded');
    if (before?.claimed.endpoint !== outcome.claimed.endpoint) {
      content.sent.push({ url: sent.url, custom: sent.custom, user_agent: sent.user_agent });
    }
    if (before === undefined || !hasSameResponse(before, outcome)) {
      const { statusCode, headers, response } = answered;
      content.answers.push({ status_code: statusCode ?? 0, headers: storableHeaders(headers), response });
    }
    content.attempts.push([
      content.attempts.length,
      outcome.endedAt.getTime() - (first ?? outcome).endedAt.getTime(),
      answered.durationMs,
      content.sent.length - 1,
      content.answers.length - 1,
      sent.timestamp,
      sent.signature,
    ]);
    before = outcome;
  }
  return seal(cipher, content);
}

// Not compressed: signatures are random, and repeated values are stored once.
const seal = (cipher: TenantCipher, content: BlockContent): Buffer =>
  cipher.sealChunk(Buffer.from(JSON.stringify(content)), PLACE);

const open = (cipher: TenantCipher, sealed: Buffer): BlockContent =>
  BlockContent.parse(JSON.parse(cipher.openChunk(sealed, PLACE).toString()));

/** Receivers send the same response to most messages, or the same within a second. */
function hasSameResponse({ response: a }: AttemptOutcome, { response: b }: AttemptOutcome): boolean {
  if (a.statusCode !== b.statusCode || a.response !== b.response) return false;
  const names = Object.keys(a.headers);
  return (
    names.length === Object.keys(b.headers).length &&
    names.every((name) => a.headers[name] === b.headers[name])
  );
}

/** The attempts of a block, in the order in which they ended. */
export function openBlock(cipher: TenantCipher, block: StoredAttemptBlock): BlockAttempt[] {
  const { sent, answers, attempts } = open(cipher, block.attempts);
  return attempts.map(([number, afterMs, durationMs, sentAt, answerAt, timestamp, signature], place) => {
    const [to, answer, eventId] = [sent[sentAt], answers[answerAt], block.event_ids[place]];
    if (!to || !answer || eventId === undefined) throw new Error(`Block ${block.id} is inconsistent`);
    return {
      id: numberedId(block.id, number),
      eventId,
      at: new Date(block.first_at.getTime() + afterMs),
      statusCode: answer.status_code,
      durationMs,
      exchange: {
        sent: { ...to, timestamp, signature, test: false },
        response_headers: answer.headers,
        response: answer.response,
      },
    };
  });
}

/** The same block without the attempts about some events; undefined if it becomes empty. */
export function removeEvents(
  cipher: TenantCipher,
  block: StoredAttemptBlock,
  events: ReadonlySet<string>,
): Pick<StoredAttemptBlock, 'event_ids' | 'attempts'> | undefined {
  const content = open(cipher, block.attempts);
  const stays = (place: number) => !events.has(block.event_ids[place] ?? '');
  const attempts = content.attempts.filter((_, place) => stays(place));
  if (attempts.length === 0) return undefined;
  // A response may contain data of its message, so responses that are no longer used are cleared.
  const used = new Set(attempts.map(([, , , , answerAt]) => answerAt));
  const answers = content.answers.map((answer, at) =>
    used.has(at) ? answer : { status_code: answer.status_code, headers: {}, response: '' },
  );
  return {
    event_ids: block.event_ids.filter((_, place) => stays(place)),
    attempts: seal(cipher, { ...content, answers, attempts }),
  };
}
