import { LRUCache } from 'lru-cache';
import type { Tenant } from '../../platform/tenant.ts';
import type { Origin } from '../readings.ts';
import { storedSource, type Known } from './origins.ts';
import type { KnownPut, Remembered } from './put-store.ts';

/** What is remembered of a stream and a source that samples came from lately. Whoever builds on it verifies it. */
interface Memory extends Remembered {
  /** The latest moment that this process wrote: what is not later lies among others. */
  lastAt: number;
}

const STREAMS_MAX = 20_000;
const memories = new LRUCache<string, Memory>({ max: STREAMS_MAX });

export interface Telling {
  readonly userId: string;
  readonly resource: string;
  readonly type: string;
  readonly origin: Origin & Known;
}

/** Everything that makes a stream or a source another one, or says something of them. */
export function memoryKey(
  { teamId, environment }: Tenant,
  { userId, resource, type, origin }: Telling,
): string {
  const { provider, appId, device, workout, workoutId } = origin;
  const of = device && [device.id, device.manufacturer, device.model, device.version];
  const by = workout && [workout.key, workout.sport];
  return JSON.stringify([
    teamId,
    environment,
    userId,
    resource,
    type,
    provider,
    origin.type,
    appId,
    of,
    by,
    workoutId,
  ]);
}

interface Span {
  readonly first: number;
  readonly last: number;
}

/** What is remembered, if that span lies after all that this process wrote; the memory then reaches to its end. */
export function recall(key: string, { first, last }: Span): Remembered | undefined {
  const memory = memories.get(key);
  if (!memory || first <= memory.lastAt) return undefined;
  memory.lastAt = last;
  return memory;
}

export const forget = (key: string): void => void memories.delete(key);

/** Keeps what a statement has found, to which its origin adds nothing. */
export const remember = (key: string, put: KnownPut, { last }: Span): void =>
  void memories.set(key, {
    streamId: put.stream_id,
    source: { ...storedSource(put), deviceChange: null },
    originsVersion: put.origins_version,
    lastAt: last,
  });
