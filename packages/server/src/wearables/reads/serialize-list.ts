import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import { SerializedJson } from '../../platform/http/serialized-json.ts';
import { serializerOf } from '../../platform/http/serializer.ts';

/** About 20 ms of work between yields to the event loop. */
const CHUNK_ITEMS = 5000;

/** Serializes a long list as a JSON array without blocking the event loop. */
export async function serializeList<T>(
  item: z.ZodType,
  list: readonly T[],
  view: (one: T) => unknown,
): Promise<SerializedJson> {
  const write = serializerOf(item);
  let text = '';
  for (let start = 0; start < list.length; start += CHUNK_ITEMS) {
    if (start > 0) await setImmediate();
    const piece = list.slice(start, start + CHUNK_ITEMS).map((one) => write(view(one)));
    text += `${start > 0 ? ',' : ''}${piece.join(',')}`;
  }
  return new SerializedJson(`[${text}]`);
}
