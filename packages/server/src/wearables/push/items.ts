import { UnreadableItem } from '../../platform/http/http.ts';
import type { ReadingOrigin } from '../../readings/readings.ts';
import { createFault, isFault, type IngestionFault } from '../ingestion/ingestion.ts';
import { PushSource, type PushRefusal } from './schema.ts';

export type PushItem = Readonly<Record<string, unknown>>;

/** A parsed item with its index in the request. */
export interface ParsedItem<T> {
  readonly index: number;
  /** Equal sources share one object. */
  readonly origin: ReadingOrigin;
  readonly value: T;
}

export interface ParsedItems<T> {
  readonly read: readonly ParsedItem<T>[];
  readonly refused: readonly PushRefusal[];
}

interface PushBatch {
  readonly source?: PushSource | null | undefined;
  readonly data: readonly unknown[];
}

/** Parses items one by one. A fault rejects only its own item. */
export function parseItems<T extends object>(
  { source, data }: PushBatch,
  read: (item: PushItem, origin: ReadingOrigin) => T | IngestionFault,
): ParsedItems<T> {
  const originOfItem = createOriginParser(source);
  const found: ParsedItem<T>[] = [];
  const refused: PushRefusal[] = [];
  data.forEach((given, index) => {
    const opened = parseItem(given);
    if (isFault(opened)) return refused.push(toRefusal(index, opened));
    const { item } = opened;
    const origin = originOfItem(item);
    if (isFault(origin)) return refused.push(toRefusal(index, origin));
    const value = read(item, origin);
    return isFault(value) ? refused.push(toRefusal(index, value)) : found.push({ index, origin, value });
  });
  return { read: found, refused };
}

export const toRefusal = (index: number, { loc, msg, type }: IngestionFault): PushRefusal => ({
  index,
  loc: [...loc],
  msg,
  type,
});

function parseItem(given: unknown): { readonly item: PushItem } | IngestionFault {
  if (given instanceof UnreadableItem) return createFault([], given.reason, 'json_invalid');
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return createFault([], 'expected an object', 'object_type');
  return { item: { ...given } };
}

/** Caches parsed sources, so that items of equal sources share one origin object. */
function createOriginParser(
  common: PushSource | null | undefined,
): (item: PushItem) => ReadingOrigin | IngestionFault {
  const read = new Map<string, ReadingOrigin | IngestionFault>();
  const fallback = toOrigin(common ?? PushSource.parse({}));
  return ({ source }) => {
    if (source === undefined || source === null) return fallback;
    const text = JSON.stringify(source);
    const known = read.get(text) ?? parseOrigin(source);
    read.set(text, known);
    return known;
  };
}

function parseOrigin(source: unknown): ReadingOrigin | IngestionFault {
  const parsed = PushSource.safeParse(source);
  if (parsed.success) return toOrigin(parsed.data);
  const [issue] = parsed.error.issues;
  return createFault(['source', ...(issue?.path ?? []).map(String)], issue?.message ?? 'expected a source');
}

const toOrigin = ({ provider, type, app_id, device, workout }: PushSource): ReadingOrigin => ({
  provider,
  type,
  appId: app_id ?? null,
  device: device
    ? {
        id: device.id ?? null,
        manufacturer: device.manufacturer ?? null,
        model: device.model ?? null,
        version: device.version ?? null,
      }
    : null,
  workout: workout ? { key: workout.external_id, sport: workout.sport } : null,
});
