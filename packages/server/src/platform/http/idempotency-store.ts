import { sql } from 'kysely';
import { HOUR, later } from '../clock.ts';
import { tenantColumns } from '../db/tenant-rows.ts';
import type { Tx } from '../db/database.ts';
import { DomainError } from '../errors.ts';
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

/** A serialized response: the status, the body bytes, and the response's own headers. */
export interface SerializedResponse {
  readonly status: number;
  readonly text: string | Buffer;
  readonly headers: Record<string, string>;
}

export interface IdempotentRequest {
  readonly operation: string;
  readonly key: string;
  readonly hash: Buffer;
  /** The caller asked not to store an error response. */
  readonly forgetErrors: boolean;
  readonly keepHours: number;
}

const PLACE = 'idempotency_record.answer';

/** Locks a key for this transaction; false while another transaction holds the lock. */
export async function tryLockKey(
  { tx, tenant }: Work,
  { operation, key }: IdempotentRequest,
): Promise<boolean> {
  const lock = [tenant.teamId, tenant.environment, operation, key].join('\n');
  const taken = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${lock}, 0)) as locked`.execute(tx);
  return taken.rows[0]?.locked === true;
}

/** The stored response of an earlier request with this key; 409 if that request was a different one. */
export async function findStoredResponse(
  work: Work,
  request: IdempotentRequest,
): Promise<SerializedResponse | undefined> {
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

export async function storeResponse(
  work: Work,
  request: IdempotentRequest,
  sent: SerializedResponse,
): Promise<void> {
  const kept = {
    request_hash: request.hash,
    status: sent.status,
    headers: JSON.stringify(sent.headers),
    answer: work.cipher.seal(sent.text.toString(), PLACE),
    expires_at: later(work.now, request.keepHours * HOUR),
    created_at: work.now,
  };
  await work.tx
    .insertInto('idempotency_record')
    .values({
      ...tenantColumns(work.tenant),
      operation: request.operation,
      idempotency_key: request.key,
      ...kept,
    })
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'environment', 'operation', 'idempotency_key']).doUpdateSet(kept),
    )
    .execute();
}

export async function deleteStoredResponse(
  { tx, tenant }: Work,
  { operation, key }: IdempotentRequest,
): Promise<void> {
  await tx
    .deleteFrom('idempotency_record')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('operation', '=', operation)
    .where('idempotency_key', '=', key)
    .execute();
}

const stringRecord = (value: unknown): Record<string, string> =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]))
    : {};

/** Removes up to `limit` responses that expired before `now`; returns the number removed. */
export async function removeExpired(tx: Tx, now: Date, limit: number): Promise<number> {
  const removed = await sql`
    delete from idempotency_record where (team_id, environment, operation, idempotency_key) in (
      select team_id, environment, operation, idempotency_key from idempotency_record
      where expires_at < ${now} limit ${limit})`.execute(tx);
  return Number(removed.numAffectedRows ?? 0n);
}
