import { createHash } from 'node:crypto';
import { execute } from '../db/transact.ts';
import { DomainError, statusOf } from '../errors.ts';
import { inPart, type Work } from '../work.ts';
import {
  findAnswer,
  keepAnswer,
  lockKey,
  type IdempotentRequest,
  type SentAnswer,
} from './idempotency-store.ts';

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
  if (!(await lockKey(work, request))) {
    throw new DomainError('conflict', 'A request with this idempotency key is still running', 1);
  }
  const kept = await findAnswer(work, request);
  if (kept) return kept;
  const sent = await attempt(work, effect);
  if (!(request.forgetErrors && sent.status >= 400)) await keepAnswer(work, request, sent);
  return sent;
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
