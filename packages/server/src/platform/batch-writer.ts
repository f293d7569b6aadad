import type { Log } from './log.ts';

const FLUSH_AFTER_MS = 1000;
const BATCH_MAX = 5000;
const RETRY_AFTER_MS = 1000;
/** Bounds the memory while the database is unavailable, or slower than the callers. */
const BUFFER_MAX = 50_000;

interface BatchTarget<Row> {
  /** What the rows are, for the log. */
  readonly name: string;
  readonly log: Log;
  /** Rows may also be discarded while a slow write runs; otherwise only after a failed one. */
  readonly isBestEffort?: true;
  readonly write: (rows: readonly Row[]) => Promise<void>;
}

/**
 * Writes rows in batches, one batch at a time, a second after the first of them or as soon as a batch is full, so that
 * no caller waits. A failed batch is retried. Of more than 50,000 rows that cannot be written the oldest are discarded,
 * with an error in the log. A killed process loses what it had buffered.
 */
export class BatchWriter<Row> {
  readonly #target: BatchTarget<Row>;
  #rows: Row[] = [];
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(target: BatchTarget<Row>) {
    this.#target = target;
  }

  add(row: Row): void {
    this.#rows.push(row);
    if (this.#target.isBestEffort && this.#rows.length >= 2 * BUFFER_MAX) this.#discardOldest();
    if (this.#rows.length === BATCH_MAX) this.#writeSoon(0);
    else this.#writeSoon(FLUSH_AFTER_MS);
  }

  /** Writes everything that is buffered; returns also if that fails. */
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
    while (this.#rows.length > 0) {
      const batch = this.#rows.slice(0, BATCH_MAX);
      this.#rows = this.#rows.slice(batch.length);
      try {
        await this.#target.write(batch);
      } catch (error) {
        this.#rows = [...batch, ...this.#rows];
        this.#discardOldest();
        this.#target.log.warn({ err: error }, `writing ${this.#target.name} failed; retrying`);
        this.#writeSoon(RETRY_AFTER_MS);
        return;
      }
    }
  }

  #discardOldest(): void {
    const lost = this.#rows.length - BUFFER_MAX;
    if (lost <= 0) return;
    this.#rows = this.#rows.slice(lost);
    this.#target.log.error(
      { lost },
      `${this.#target.name} were discarded: the buffer is full while the database is slow or unavailable`,
    );
  }
}
