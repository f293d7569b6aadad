import { createHash } from 'node:crypto';
import { execute } from '../db/transact.ts';
import { DomainError, statusOf } from '../errors.ts';
import { inPart, type Work } from '../work.ts';
import {
  findAnswer,
  forgetAnswer,
  keepAnswer,
  lockKey,
  type IdempotentRequest,
  type SentAnswer,
} from './idempotency-store.ts';
import type { Beginning } from './route.ts';

export const hashRequest = (...parts: unknown[]): Buffer =>
  createHash('sha256').update(JSON.stringify(parts)).digest();

/**
 * Runs `effect` once for a key. The lock, the effect and the kept answer are one transaction: a kill at any line
 * leaves either all of it or nothing, and a repeat after it finds the answer or starts anew.
 * A failed effect is undone to a savepoint, and its answer is kept like any other.
 */
export async function once(
  work: Work,
  request: IdempotentRequest,
  effect: (part: Work) => Promise<SentAnswer>,
): Promise<SentAnswer> {
  await lockOrRefuse(work, request);
  const kept = await findAnswer(work, request);
  if (kept) return kept;
  const sent = await attempt(work, effect);
  if (!(request.forgetErrors && sent.status >= 400)) await keepAnswer(work, request, sent);
  else await forgetAnswer(work, beginningOf(request));
  return sent;
}

/**
 * Runs once for a key what a request begins before it waits, outside the transaction of its answer. Who comes again
 * gets what was begun; so a request that was killed while it waited is taken up where it was.
 */
export async function begunOnce<T>(
  work: Work,
  request: IdempotentRequest,
  { shape, effect }: Beginning<T>,
): Promise<T> {
  const beginning = beginningOf(request);
  await lockOrRefuse(work, beginning);
  const kept = await findAnswer(work, beginning);
  if (kept) return shape.parse(JSON.parse(kept.text.toString()));
  const begun = await effect(work);
  await keepAnswer(work, beginning, { status: 200, text: JSON.stringify(begun), headers: {} });
  return begun;
}

/** Kept beside the answers, under a name that no operation has. */
const beginningOf = (request: IdempotentRequest): IdempotentRequest => ({
  ...request,
  operation: `${request.operation}/begun`,
});

async function lockOrRefuse(work: Work, request: IdempotentRequest): Promise<void> {
  if (await lockKey(work, request)) return;
  throw new DomainError('conflict', 'A request with this idempotency key is still running', 1);
}

async function attempt(work: Work, effect: (part: Work) => Promise<SentAnswer>): Promise<SentAnswer> {
  await execute(work.tx, 'savepoint effect');
  try {
    return await inPart(work, effect);
  } catch (error) {
    if (!(error instanceof DomainError) || !isKept(error)) throw error;
    await execute(work.tx, 'rollback to savepoint effect');
    work.rings.clear();
    return { status: statusOf[error.kind], text: JSON.stringify({ detail: error.detail }), headers: {} };
  }
}

/** A validation failure and a passing trouble are not answers to remember; nor is one that asks to come again. */
const isKept = ({ kind, retryAfterSeconds }: DomainError) =>
  kind !== 'invalid' && kind !== 'unavailable' && kind !== 'too_many' && retryAfterSeconds === undefined;
