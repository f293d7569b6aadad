import { asSystem } from '../platform/db/transact.ts';
import type { Access, Witness } from '../platform/http/witness.ts';
import type { Platform } from '../platform/work.ts';
import { insertLine, insertLines, type Line } from './store.ts';
import { subjectsOf } from './subjects.ts';
import { isWatched } from './watched.ts';

const WRITE_AFTER_MS = 1000;
const WRITE_AT_LINES = 5000;
const WRITTEN_AT_ONCE = 5000;
const AGAIN_AFTER_MS = 1000;
/** While the database is away; more would fill the memory. */
const KEPT_MAX = 50_000;

/**
 * Writes the access log. Changes stand in the transaction of the change. Reads, and what was refused, are gathered and
 * written every second: a kill may lose that much of them, and never a line of a change.
 */
export function openWitness(app: Platform): Witness {
  const book = new Book(app);
  return {
    watches: isWatched,
    write: (work, access, status) => insertLine(work, lineOf(app, access, status)),
    note: (access, status) => book.add(lineOf(app, access, status)),
    close: () => book.writeAll(),
  };
}

function lineOf(app: Platform, access: Access, status: number): Line {
  const { principal, operation, method, input, address, requestId } = access;
  const { user, order, others } = subjectsOf(input);
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

/** Lines on their way into the database. */
class Book {
  readonly #app: Platform;
  #lines: Line[] = [];
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(app: Platform) {
    this.#app = app;
  }

  add(line: Line): void {
    this.#lines.push(line);
    if (this.#lines.length === WRITE_AT_LINES) this.#writeSoon(0);
    else this.#writeSoon(WRITE_AFTER_MS);
  }

  async writeAll(): Promise<void> {
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
      const batch = this.#lines.slice(0, WRITTEN_AT_ONCE);
      this.#lines = this.#lines.slice(batch.length);
      try {
        await asSystem(this.#app.db, (tx) => insertLines(tx, batch));
      } catch (error) {
        this.#lines = [...batch, ...this.#lines];
        this.#failed(error);
        return;
      }
    }
  }

  #failed(error: unknown): void {
    const { log } = this.#app;
    const lost = this.#lines.length - KEPT_MAX;
    if (lost > 0) {
      this.#lines = this.#lines.slice(lost);
      log.error({ lost }, 'accesses could not be written down and were lost');
    }
    log.warn({ err: error }, 'accesses were not written down; it is tried again');
    this.#writeSoon(AGAIN_AFTER_MS);
  }
}
