import type { App } from '../app.ts';
import { DomainError } from '../platform/errors.ts';
import { openGathering } from './gathering.ts';
import type { Outcome } from './outcome.ts';
import { record } from './record.ts';

const GATHER_MS = 10;
/** When many come, they are waited for a little longer: each writing costs the same for few and for many. */
const MANY = 64;
const PLENTY = 800;
const TURNS_MAX = 8;
/** And what is left of the last bundle; far less than a block can number. */
const BATCH_MAX = 1000;
const AWAY_MS = 500;
/** How often a closing recorder tries a database that is away, before the leases have to do. */
const LAST_TRIES = 4;

export interface Recorder {
  add(outcome: Outcome): void;
  /** Writes what is left. */
  close(): Promise<void>;
}

export interface Heard {
  /** These are off its hands, each written or lost. */
  readonly done: (outcomes: readonly Outcome[]) => void;
  /** It cannot be written: the message waits until its lease is over. */
  readonly lost: (outcome: Outcome) => void;
}

/** Gathers outcomes for a moment and writes them down together. */
export function startRecorder(app: App, { done, lost }: Heard): Recorder {
  const waiting: Outcome[] = [];
  let writing: Promise<void> | undefined;
  let closing = false;

  const write = async () => {
    let tries = 0;
    while (waiting.length > 0 && tries < LAST_TRIES) {
      const batch = waiting.slice(0, endOfBatch(waiting));
      const away = await recordOrSplit(app, batch, lost);
      if (away) {
        if (closing) tries += 1;
        await pause(AWAY_MS);
        continue;
      }
      waiting.splice(0, batch.length);
      done(batch);
      // What came meanwhile is gathered like what came before.
      if (!closing && waiting.length < PLENTY) return;
    }
  };
  const gathered = async () => {
    for (let turns = 0; turns < TURNS_MAX && !closing; turns += 1) {
      await pause(GATHER_MS);
      if (waiting.length < MANY || waiting.length >= PLENTY) return;
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
  const gathering = openGathering((outcomes) => {
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

/** A bundle that came whole is not parted. */
function endOfBatch(waiting: readonly Outcome[]): number {
  const bundleAt = (at: number) => waiting[at]?.claimed.row.bundle;
  let end = Math.min(BATCH_MAX, waiting.length);
  while (end < waiting.length && bundleAt(end) && bundleAt(end) === bundleAt(end - 1)) end += 1;
  return end;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Answers true when the database is away. A batch that cannot be written for another reason is halved until the one
 * that is to blame stands alone; that one is left to its lease, and the log says so.
 */
async function recordOrSplit(app: App, batch: readonly Outcome[], lost: Heard['lost']): Promise<boolean> {
  try {
    await record(app, batch);
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
