/**
 * The log of requests to the team API. Requests are buffered and written every second, outside of any request: a killed
 * process loses at most that second, and while the database is unavailable the oldest are discarded beyond 50,000.
 */
import type { App } from '../../app.ts';
import { BatchWriter } from '../../platform/batch-writer.ts';
import type { Removal, RemovalStep } from '../../platform/db/removal.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { AnsweredRequest, RequestLogger } from '../../platform/http/request-logger.ts';
import type { Work } from '../../platform/work.ts';
import { insertRequests, removeRequests, type NewRequestLogEntry } from './store.ts';

export function openRequestLogger(app: App): RequestLogger {
  const writer = new BatchWriter<NewRequestLogEntry>({
    name: 'entries of the request log',
    log: app.log,
    isBestEffort: true,
    write: (rows) => asSystem(app.db, (tx) => insertRequests(tx, rows)),
  });
  return { add: (request) => writer.add(toEntry(request)), close: () => writer.flush() };
}

const toEntry = ({ principal, problem, ...request }: AnsweredRequest): NewRequestLogEntry => ({
  team_id: principal.tenant.teamId,
  environment: principal.tenant.environment,
  at: request.arrivedAt,
  kind: principal.kind ?? 'api_key',
  key_id: principal.keyId,
  operation: request.operation,
  method: request.method,
  route: request.route,
  path: request.path,
  status: request.status,
  duration_ms: request.durationMs,
  request_id: request.requestId,
  idempotency_key: request.idempotencyKey,
  problem: problem && problem.code,
  locations: problem && problem.locations.length > 0 ? JSON.stringify(problem.locations) : null,
});

/** Deletes requests older than the team keeps them. */
export async function removeOldRequests(work: Work, { before, limit }: RemovalStep): Promise<Removal> {
  const removed = await removeRequests(work, { before, limit });
  return { ...removed, next: removed.deleted === limit ? 'more' : null };
}
