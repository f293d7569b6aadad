import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import { Printed } from '../../platform/http/printed.ts';
import { serializerOf } from '../../platform/http/serializer.ts';

/** Printed in some 20 ms; then others have their turn. */
const PIECE = 5000;

/** A long list as the text of an array, printed piece by piece. */
export async function printList<T>(
  item: z.ZodType,
  list: readonly T[],
  view: (one: T) => unknown,
): Promise<Printed> {
  const write = serializerOf(item);
  let text = '';
  for (let start = 0; start < list.length; start += PIECE) {
    if (start > 0) await setImmediate();
    const piece = list.slice(start, start + PIECE).map((one) => write(view(one)));
    text += `${start > 0 ? ',' : ''}${piece.join(',')}`;
  }
  return new Printed(`[${text}]`);
}
