import { createHash } from 'node:crypto';
import { execute } from '../db/transact.ts';
import { DomainError, statusOf } from '../errors.ts';
import { runNested, type Work } from '../work.ts';
import {
  findStoredResponse,
  deleteStoredResponse,
  storeResponse,
  tryLockKey,
  type IdempotentRequest,
  type SerializedResponse,
} from './idempotency-store.ts';
import type { DurableStep } from './route.ts';

export const hashRequest = (...parts: unknown[]): Buffer =>
  createHash('sha256').update(JSON.stringify(parts)).digest();

/**
 * Runs `effect` once for a key. The lock, the effect and the stored response are one transaction: after a crash at any
 * point either all of it is there or nothing, and a retry finds the response or starts over. A failed effect is rolled
 * back to a savepoint, and its error response is stored like any other.
 */
export async function runOnce(
  work: Work,
  request: IdempotentRequest,
  effect: (part: Work) => Promise<SerializedResponse>,
): Promise<SerializedResponse> {
  await lockOrRefuse(work, request);
  const kept = await findStoredResponse(work, request);
  if (kept) return kept;
  const sent = await runWithSavepoint(work, effect);
  if (!(request.forgetErrors && sent.status >= 400)) await storeResponse(work, request, sent);
  else await deleteStoredResponse(work, stepRequest(request));
  return sent;
}

/**
 * Runs a durable step of a request once for a key, outside the transaction of its response. A retry gets the stored
 * result of the step, so a request that was killed while waiting resumes where it was.
 */
export async function runStepOnce<T>(
  work: Work,
  request: IdempotentRequest,
  { shape, effect }: DurableStep<T>,
): Promise<T> {
  const beginning = stepRequest(request);
  await lockOrRefuse(work, beginning);
  const kept = await findStoredResponse(work, beginning);
  if (kept) return shape.parse(JSON.parse(kept.text.toString()));
  const begun = await effect(work);
  await storeResponse(work, beginning, { status: 200, text: JSON.stringify(begun), headers: {} });
  return begun;
}

/** Stored next to the responses, under an operation name that no route has. */
const stepRequest = (request: IdempotentRequest): IdempotentRequest => ({
  ...request,
  operation: `${request.operation}/begun`,
});

async function lockOrRefuse(work: Work, request: IdempotentRequest): Promise<void> {
  if (await tryLockKey(work, request)) return;
  throw new DomainError('conflict', 'A request with this idempotency key is still running', 1);
}

async function runWithSavepoint(
  work: Work,
  effect: (part: Work) => Promise<SerializedResponse>,
): Promise<SerializedResponse> {
  await execute(work.tx, 'savepoint effect');
  try {
    return await runNested(work, effect);
  } catch (error) {
    if (!(error instanceof DomainError) || !isStorable(error)) throw error;
    await execute(work.tx, 'rollback to savepoint effect');
    work.wakeups.clear();
    return { status: statusOf[error.kind], text: JSON.stringify({ detail: error.detail }), headers: {} };
  }
}

/** Validation errors, temporary failures and responses with Retry-After are not stored. */
const isStorable = ({ kind, retryAfterSeconds }: DomainError) =>
  kind !== 'invalid' && kind !== 'unavailable' && kind !== 'too_many' && retryAfterSeconds === undefined;
