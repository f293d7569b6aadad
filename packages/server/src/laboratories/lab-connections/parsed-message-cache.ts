import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { ReportReadContext, ReceivedReport } from '../../adapters/lab-network/port.ts';
import type { App } from '../../app.ts';
import { lookUpCounted } from '../../platform/cache-lookups.ts';
import type { Db } from '../../platform/db/transact.ts';

/** The reports of a message, and the connection settings with which it was parsed. */
export interface ParsedLabMessage {
  readonly reports: readonly ReceivedReport[];
  readonly at: ReportReadContext;
}

const CACHE_BYTES_MAX = 4 * 1024 * 1024;
const CACHE_TTL_MS = 30_000;

/** One cache per database, and so per process. */
const caches = new WeakMap<Db, LRUCache<string, ParsedLabMessage>>();

function getCache({ db }: App): LRUCache<string, ParsedLabMessage> {
  const known =
    caches.get(db) ?? new LRUCache<string, ParsedLabMessage>({ maxSize: CACHE_BYTES_MAX, ttl: CACHE_TTL_MS });
  caches.set(db, known);
  return known;
}

/**
 * Caches a message that was parsed for its acknowledgement, because the same process usually processes it moments
 * later. On a cache miss, the message is parsed again.
 */
export function cacheParsedMessage(
  app: App,
  id: string,
  { sizeBytes, ...reading }: ParsedLabMessage & MessageSize,
): void {
  if (app.config.ROLE !== 'api') getCache(app).set(id, reading, { size: Math.max(sizeBytes, 1) });
}

interface MessageSize {
  /** The size of the message. */
  readonly sizeBytes: number;
}

export const evictParsedMessage = (app: App, id: string): void => void getCache(app).delete(id);

/** Removes and returns the cached reports; undefined if not cached, or if the connection settings have changed. */
export function takeParsedMessage(
  app: App,
  id: string,
  at: ReportReadContext,
): readonly ReceivedReport[] | undefined {
  const reading = lookUpCounted('lab_message', getCache(app), id);
  evictParsedMessage(app, id);
  return reading && isDeepStrictEqual(reading.at, at) ? reading.reports : undefined;
}
