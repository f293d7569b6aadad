import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { ReadingAt, ReceivedReport } from '../../adapters/lab-network/port.ts';
import type { App } from '../../app.ts';
import type { Db } from '../../platform/db/transact.ts';

/** What a message says, and what had to be known of its connection to read it. */
export interface Reading {
  readonly reports: readonly ReceivedReport[];
  readonly at: ReadingAt;
}

const KEPT_BYTES = 4 * 1024 * 1024;
const KEPT_MS = 30_000;

/** One for the process, as its database is. */
const kept = new WeakMap<Db, LRUCache<string, Reading>>();

function readingsOf({ db }: App): LRUCache<string, Reading> {
  const known = kept.get(db) ?? new LRUCache<string, Reading>({ maxSize: KEPT_BYTES, ttl: KEPT_MS });
  kept.set(db, known);
  return known;
}

/**
 * A message is read to be acknowledged, and mostly taken a moment later by the same process: it remembers what it read,
 * a few megabytes of messages at most. Whoever takes a message that is not remembered reads it again.
 */
export function rememberReading(app: App, id: string, { sizeBytes, ...reading }: Reading & Sized): void {
  if (app.config.ROLE !== 'api') readingsOf(app).set(id, reading, { size: Math.max(sizeBytes, 1) });
}

interface Sized {
  /** Of the message. */
  readonly sizeBytes: number;
}

export const forgetReading = (app: App, id: string): void => void readingsOf(app).delete(id);

/** What was read of a message, once; undefined where it has to be read, as when its connection has changed since. */
export function recallReading(app: App, id: string, at: ReadingAt): readonly ReceivedReport[] | undefined {
  const reading = readingsOf(app).get(id);
  forgetReading(app, id);
  return reading && isDeepStrictEqual(reading.at, at) ? reading.reports : undefined;
}
