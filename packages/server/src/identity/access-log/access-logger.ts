import { asSystem } from '../../platform/db/transact.ts';
import type { Access, AccessLogger } from '../../platform/http/access-logger.ts';
import type { Platform } from '../../platform/work.ts';
import { insertAccessEntry, insertAccessEntries, type NewAccessLogEntry } from './store.ts';
import { extractSubjects } from './subjects.ts';
import { isLoggedRoute } from './logged-routes.ts';

const FLUSH_AFTER_MS = 1000;
const FLUSH_AT_ENTRIES = 5000;
const BATCH_MAX = 5000;
const RETRY_AFTER_MS = 1000;
/** Bounds the memory while the database is unavailable. */
const BUFFER_MAX = 50_000;

/**
 * Writes the access log in two modes. The entry of a change is part of the transaction of the change, and is never
 * lost. Entries of reads and refused requests are buffered and written every second: a killed process loses at most
 * those.
 */
export function openAccessLogger(app: Platform): AccessLogger {
  const book = new AccessLogBuffer(app);
  return {
    covers: isLoggedRoute,
    logInTransaction: (work, access, status) =>
      insertAccessEntry(work, toAccessLogEntry(app, access, status)),
    logLater: (access, status) => book.add(toAccessLogEntry(app, access, status)),
    close: () => book.flush(),
  };
}

function toAccessLogEntry(app: Platform, access: Access, status: number): NewAccessLogEntry {
  const { principal, operation, method, input, address, requestId } = access;
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
  };
}

/** Buffered entries. One batch is written at a time; a failed batch is retried. */
class AccessLogBuffer {
  readonly #app: Platform;
  #lines: NewAccessLogEntry[] = [];
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(app: Platform) {
    this.#app = app;
  }

  add(line: NewAccessLogEntry): void {
    this.#lines.push(line);
    if (this.#lines.length === FLUSH_AT_ENTRIES) this.#writeSoon(0);
    else this.#writeSoon(FLUSH_AFTER_MS);
  }

  async flush(): Promise<void> {
    await this.#writing;
    this.#writing = this.#write();
    await this.#writing;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #writeSoon(afterMs: number): void {
    if (this.#timer && afterMs > 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
    }, afterMs);
    this.#timer.unref();
  }

  async #write(): Promise<void> {
    while (this.#lines.length > 0) {
      const batch = this.#lines.slice(0, BATCH_MAX);
      this.#lines = this.#lines.slice(batch.length);
      try {
        await asSystem(this.#app.db, (tx) => insertAccessEntries(tx, batch));
      } catch (error) {
        this.#lines = [...batch, ...this.#lines];
        this.#failed(error);
        return;
      }
    }
  }

  #failed(error: unknown): void {
    const { log } = this.#app;
    const lost = this.#lines.length - BUFFER_MAX;
    if (lost > 0) {
      this.#lines = this.#lines.slice(lost);
      log.error(
        { lost },
        'access log entries were discarded: the buffer is full while the database is unavailable',
      );
    }
    log.warn({ err: error }, 'writing access log entries failed; retrying');
    this.#writeSoon(RETRY_AFTER_MS);
  }
}
