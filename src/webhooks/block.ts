import { z } from 'zod';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import { newId } from '../platform/ids.ts';
import { keptHeaders, type Exchange } from './exchange.ts';
import { numbered } from './numbered-id.ts';
import type { Outcome } from './outcome.ts';

const PLACE = 'webhook_attempt_block.attempts';

/** What many attempts have in common stands once, and each refers to it by its place. */
const Content = z.object({
  sent: z.array(z.object({ url: z.string(), custom: z.array(z.string()), user_agent: z.string() })),
  answers: z.array(
    z.object({
      status_code: z.int(),
      headers: z.record(z.string(), z.string()),
      response: z.string(),
    }),
  ),
  /** Number in the block, milliseconds since its first, milliseconds it took, places in `sent` and `answers`, timestamp, signature. */
  attempts: z.array(z.tuple([z.int(), z.int(), z.int(), z.int(), z.int(), z.string(), z.string()])),
});
type Content = z.output<typeof Content>;

/** One attempt of a block. */
export interface BlockAttempt {
  readonly id: string;
  readonly eventId: string;
  readonly at: Date;
  readonly statusCode: number;
  readonly durationMs: number;
  readonly exchange: Exchange;
}

/** A block as it is stored. */
export interface StoredBlock {
  readonly id: string;
  readonly first_at: Date;
  readonly event_ids: readonly string[];
  readonly attempts: Buffer;
}

export const newBlockId = (): string => numbered(newId(), 0);

/** The block that an attempt would be in. */
export const blockOf = (attemptId: string): string => numbered(attemptId, 0);

/** Seals what came of messages to one endpoint, each of which was taken at its first attempt. */
export function sealBlock(cipher: TenantCipher, outcomes: readonly Outcome[]): Buffer {
  const content: Content = { sent: [], answers: [], attempts: [] };
  const [first] = outcomes;
  let before: Outcome | undefined;
  for (const outcome of outcomes) {
    const { sent, answered } = outcome;
    if (sent === null) throw new Error('What was not sent cannot have succeeded');
    if (before?.claimed.endpoint !== outcome.claimed.endpoint) {
      content.sent.push({ url: sent.url, custom: sent.custom, user_agent: sent.user_agent });
    }
    if (before === undefined || !alike(before, outcome)) {
      const { statusCode, headers, response } = answered;
      content.answers.push({ status_code: statusCode ?? 0, headers: keptHeaders(headers), response });
    }
    content.attempts.push([
      content.attempts.length,
      outcome.wall.getTime() - (first ?? outcome).wall.getTime(),
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

// Not packed: signatures are noise, and what repeats stands there once.
const seal = (cipher: TenantCipher, content: Content): Buffer =>
  cipher.sealPiece(Buffer.from(JSON.stringify(content)), PLACE);

const open = (cipher: TenantCipher, sealed: Buffer): Content =>
  Content.parse(JSON.parse(cipher.openPiece(sealed, PLACE).toString()));

/** Receivers say the same to most messages, or the same within a second. */
function alike({ answered: a }: Outcome, { answered: b }: Outcome): boolean {
  if (a.statusCode !== b.statusCode || a.response !== b.response) return false;
  const names = Object.keys(a.headers);
  return (
    names.length === Object.keys(b.headers).length &&
    names.every((name) => a.headers[name] === b.headers[name])
  );
}

/** The attempts of a block, in the order in which they ended. */
export function openBlock(cipher: TenantCipher, block: StoredBlock): BlockAttempt[] {
  const { sent, answers, attempts } = open(cipher, block.attempts);
  return attempts.map(([number, afterMs, durationMs, sentAt, answerAt, timestamp, signature], place) => {
    const [to, answer, eventId] = [sent[sentAt], answers[answerAt], block.event_ids[place]];
    if (!to || !answer || eventId === undefined) throw new Error(`Block ${block.id} does not fit together`);
    return {
      id: numbered(block.id, number),
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

/** The same block without the attempts about some events; undefined when nothing is left of it. */
export function withoutEvents(
  cipher: TenantCipher,
  block: StoredBlock,
  events: ReadonlySet<string>,
): Pick<StoredBlock, 'event_ids' | 'attempts'> | undefined {
  const content = open(cipher, block.attempts);
  const stays = (place: number) => !events.has(block.event_ids[place] ?? '');
  const attempts = content.attempts.filter((_, place) => stays(place));
  if (attempts.length === 0) return undefined;
  // An answer may say of its message what nobody else's does.
  const used = new Set(attempts.map(([, , , , answerAt]) => answerAt));
  const answers = content.answers.map((answer, at) =>
    used.has(at) ? answer : { status_code: answer.status_code, headers: {}, response: '' },
  );
  return {
    event_ids: block.event_ids.filter((_, place) => stays(place)),
    attempts: seal(cipher, { ...content, answers, attempts }),
  };
}
