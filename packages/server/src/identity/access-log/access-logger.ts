import { BatchWriter } from '../../platform/batch-writer.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Access, AccessLogger } from '../../platform/http/access-logger.ts';
import type { Platform } from '../../platform/work.ts';
import { insertAccessEntry, insertAccessEntries, type NewAccessLogEntry } from './store.ts';
import { extractSubjects } from './subjects.ts';
import { isLoggedRoute } from './logged-routes.ts';

/**
 * Writes the access log in two modes. The entry of a change is part of the transaction of the change, and is never
 * lost. Entries of reads and refused requests are buffered and written every second: a killed process loses at most
 * those.
 */
export function openAccessLogger(app: Platform): AccessLogger {
  const book = new BatchWriter<NewAccessLogEntry>({
    name: 'access log entries',
    log: app.log,
    write: (entries) => asSystem(app.db, (tx) => insertAccessEntries(tx, entries)),
  });
  return {
    covers: isLoggedRoute,
    logInTransaction: (work, access, status) =>
      insertAccessEntry(work, toAccessLogEntry(app, access, status)),
    logLater: (access, status) => book.add(toAccessLogEntry(app, access, status)),
    close: () => book.flush(),
  };
}

function toAccessLogEntry(app: Platform, access: Access, status: number): NewAccessLogEntry {
  const { principal, operation, method, input, address, requestId, assistantTool } = access;
  const { user, order, others } = extractSubjects(input);
  return {
    team_id: principal.tenant.teamId,
    environment: principal.tenant.environment,
    at: app.clock.now(),
    kind: principal.kind ?? 'api_key',
    key_id: principal.keyId,
    operation,
    method,
    status,
    about_user: user,
    about_order: order,
    about: others,
    address,
    request_id: requestId,
    assistant_tool: assistantTool ?? null,
  };
}
