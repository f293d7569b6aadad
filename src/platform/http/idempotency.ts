import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { HOUR, later } from '../clock.ts';
import { DomainError, statusOf } from '../errors.ts';
import type { Work } from '../work.ts';

declare module '../db/database.ts' {
  interface Database {
    idempotency_record: {
      team_id: string;
      environment: string;
      operation: string;
      idempotency_key: string;
      request_hash: Buffer;
      status: number;
      headers: unknown;
      answer: Buffer;
      expires_at: Date;
      created_at: Date;
    };
  }
}

/** What goes over the wire: a status, the bytes of the body, and the headers that belong to the answer. */
export interface SentAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Record<string, string>;
}

export interface IdempotentRequest {
  readonly operation: string;
  readonly key: string;
  readonly hash: Buffer;
  /** The caller asked that an error answer not be kept. */
  readonly forgetErrors: boolean;
  readonly keepHours: number;
}

const PLACE = 'idempotency_record.answer';

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
  effect: () => Promise<SentAnswer>,
): Promise<SentAnswer> {
  const lock = [work.tenant.teamId, work.tenant.environment, request.operation, request.key].join('\n');
  const taken = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${lock}, 0)) as locked`.execute(work.tx);
  if (taken.rows[0]?.locked !== true) {
    throw new DomainError('conflict', 'A request with this idempotency key is still running', 1);
  }
  const kept = await findAnswer(work, request);
  if (kept) return kept;
  const sent = await attempt(work, effect);
  if (!(request.forgetErrors && sent.status >= 400)) await keepAnswer(work, request, sent);
  return sent;
}

async function attempt(work: Work, effect: () => Promise<SentAnswer>): Promise<SentAnswer> {
  await sql`savepoint effect`.execute(work.tx);
  try {
    return await effect();
  } catch (error) {
    if (!(error instanceof DomainError) || !isKept(error)) throw error;
    await sql`rollback to savepoint effect`.execute(work.tx);
    work.rings.clear();
    return { status: statusOf[error.kind], text: JSON.stringify({ detail: error.detail }), headers: {} };
  }
}

/** A validation failure and a passing trouble are not answers to remember. */
const isKept = ({ kind }: DomainError) => kind !== 'invalid' && kind !== 'unavailable' && kind !== 'too_many';

/** The kept answer of an earlier request with this key; 409 when that request was another one. */
export async function findAnswer(work: Work, request: IdempotentRequest): Promise<SentAnswer | undefined> {
  const row = await work.tx
    .selectFrom('idempotency_record')
    .select(['request_hash', 'status', 'headers', 'answer'])
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('operation', '=', request.operation)
    .where('idempotency_key', '=', request.key)
    .where('expires_at', '>', work.now)
    .executeTakeFirst();
  if (!row) return undefined;
  if (!row.request_hash.equals(request.hash)) {
    throw new DomainError('conflict', 'This idempotency key was used with another request');
  }
  return {
    status: row.status,
    text: work.cipher.open(row.answer, PLACE),
    headers: { ...stringRecord(row.headers), 'idempotency-replayed': 'true' },
  };
}

async function keepAnswer(work: Work, request: IdempotentRequest, sent: SentAnswer): Promise<void> {
  const kept = {
    request_hash: request.hash,
    status: sent.status,
    headers: JSON.stringify(sent.headers),
    answer: work.cipher.seal(sent.text, PLACE),
    expires_at: later(work.now, request.keepHours * HOUR),
    created_at: work.now,
  };
  await work.tx
    .insertInto('idempotency_record')
    .values({
      team_id: work.tenant.teamId,
      environment: work.tenant.environment,
      operation: request.operation,
      idempotency_key: request.key,
      ...kept,
    })
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'environment', 'operation', 'idempotency_key']).doUpdateSet(kept),
    )
    .execute();
}

const stringRecord = (value: unknown): Record<string, string> =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]))
    : {};
