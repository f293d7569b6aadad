import type { App } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import { openBundleCollector } from './bundle-collector.ts';
import type { AttemptOutcome } from './outcome.ts';
import { recordAttempts } from './record.ts';

const GATHER_MS = 10;
/** When many arrive, it waits a little longer: a write costs the same for few and for many. */
const BUSY_FROM = 64;
const FULL_FROM = 800;
const TURNS_MAX = 8;
/** Plus the rest of the last bundle; far less than a block can number. */
const BATCH_MAX = 1000;
const RETRY_MS = 500;
/**
 * How often a closing recorder retries while the database is unavailable, before it leaves the messages to their
 * leases.
 */
const CLOSING_TRIES_MAX = 4;

interface Recorder {
  add(outcome: AttemptOutcome): void;
  /** Records the remaining outcomes. */
  close(): Promise<void>;
}

interface RecorderCallbacks {
  /** Called with outcomes that are finished, each recorded or lost. */
  readonly onDone: (outcomes: readonly AttemptOutcome[]) => void;
  /** Called for an outcome that cannot be recorded: the message waits until its lease ends. */
  readonly onLost: (outcome: AttemptOutcome) => void;
}

/** Collects outcomes briefly and records them in batches. */
export function startRecorder(app: App, { onDone, onLost }: RecorderCallbacks): Recorder {
  const waiting: AttemptOutcome[] = [];
  let writing: Promise<void> | undefined;
  let closing = false;

  const write = async () => {
    let tries = 0;
    while (waiting.length > 0 && tries < CLOSING_TRIES_MAX) {
      const batch = waiting.slice(0, endOfBatch(waiting));
      const away = await recordOrSplit(app, batch, onLost);
      if (away) {
        if (closing) tries += 1;
        await pause(RETRY_MS);
        continue;
      }
      waiting.splice(0, batch.length);
      onDone(batch);
      // Outcomes that arrived meanwhile are batched in the same way.
      if (!closing && waiting.length < FULL_FROM) return;
    }
  };
  const gathered = async () => {
    for (let turns = 0; turns < TURNS_MAX && !closing; turns += 1) {
      await pause(GATHER_MS);
      if (waiting.length < BUSY_FROM || waiting.length >= FULL_FROM) return;
    }
  };
  const start = () => {
    writing ??= gathered()
      .then(write)
      .finally(() => {
        writing = undefined;
        if (waiting.length > 0 && !closing) start();
      });
    return writing;
  };
  const gathering = openBundleCollector((outcomes) => {
    for (const outcome of outcomes) waiting.push(outcome);
    void start();
  });
  return {
    add: gathering.add,
    close: async () => {
      closing = true;
      gathering.flush();
      await writing;
      await start();
    },
  };
}

/** Does not split a complete bundle. */
function endOfBatch(waiting: readonly AttemptOutcome[]): number {
  const bundleAt = (at: number) => waiting[at]?.claimed.row.bundle;
  let end = Math.min(BATCH_MAX, waiting.length);
  while (end < waiting.length && bundleAt(end) && bundleAt(end) === bundleAt(end - 1)) end += 1;
  return end;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Returns true if the database is unavailable. A batch that fails for another reason is bisected until the faulty
 * outcome is alone; that one is logged and left to its lease.
 */
async function recordOrSplit(
  app: App,
  batch: readonly AttemptOutcome[],
  lost: RecorderCallbacks['onLost'],
): Promise<boolean> {
  try {
    await recordAttempts(app, batch);
    return false;
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'unavailable') return true;
    const [only] = batch;
    if (only === undefined || batch.length === 1) {
      app.log.error({ err: error, delivery_id: only?.claimed.row.id }, 'an attempt could not be recorded');
      if (only) lost(only);
      return false;
    }
    const middle = Math.ceil(batch.length / 2);
    const first = await recordOrSplit(app, batch.slice(0, middle), lost);
    return (await recordOrSplit(app, batch.slice(middle), lost)) || first;
  }
}
