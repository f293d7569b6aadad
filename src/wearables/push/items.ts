import { Unread } from '../../platform/http/http.ts';
import type { Origin } from '../readings.ts';
import { fault, isFault, type Fault } from '../taking-in/taking-in.ts';
import { PushSource, type PushRefusal } from './schema.ts';

export type Item = Readonly<Record<string, unknown>>;

/** What could be read of an item, and where among all items it stands. */
export interface ReadItem<T> {
  readonly index: number;
  /** The same object for all that come from there. */
  readonly origin: Origin;
  readonly value: T;
}

export interface ReadItems<T> {
  readonly read: readonly ReadItem<T>[];
  readonly refused: readonly PushRefusal[];
}

interface Batch {
  readonly source?: PushSource | null | undefined;
  readonly data: readonly unknown[];
}

/** Reads items one by one; what is wrong with one does not keep back the others. */
export function readItems<T extends object>(
  { source, data }: Batch,
  read: (item: Item, origin: Origin) => T | Fault,
): ReadItems<T> {
  const originOfItem = originReader(source);
  const found: ReadItem<T>[] = [];
  const refused: PushRefusal[] = [];
  data.forEach((given, index) => {
    const opened = openItem(given);
    if (isFault(opened)) return refused.push(refusal(index, opened));
    const { item } = opened;
    const origin = originOfItem(item);
    if (isFault(origin)) return refused.push(refusal(index, origin));
    const value = read(item, origin);
    return isFault(value) ? refused.push(refusal(index, value)) : found.push({ index, origin, value });
  });
  return { read: found, refused };
}

export const refusal = (index: number, { loc, msg, type }: Fault): PushRefusal => ({
  index,
  loc: [...loc],
  msg,
  type,
});

function openItem(given: unknown): { readonly item: Item } | Fault {
  if (given instanceof Unread) return fault([], given.reason, 'json_invalid');
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return fault([], 'expected an object', 'object_type');
  return { item: { ...given } };
}

/** Items of one source share what is read of it. */
function originReader(common: PushSource | null | undefined): (item: Item) => Origin | Fault {
  const read = new Map<string, Origin | Fault>();
  const fallback = originOf(common ?? PushSource.parse({}));
  return ({ source }) => {
    if (source === undefined || source === null) return fallback;
    const text = JSON.stringify(source);
    const known = read.get(text) ?? readOrigin(source);
    read.set(text, known);
    return known;
  };
}

function readOrigin(source: unknown): Origin | Fault {
  const parsed = PushSource.safeParse(source);
  if (parsed.success) return originOf(parsed.data);
  const [issue] = parsed.error.issues;
  return fault(['source', ...(issue?.path ?? []).map(String)], issue?.message ?? 'expected a source');
}

const originOf = ({ provider, type, app_id, device, workout }: PushSource): Origin => ({
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
