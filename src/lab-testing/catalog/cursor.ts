import { z } from 'zod';
import { invalidField } from '../../platform/errors.ts';
import { GivenMoment } from '../../platform/given-moments.ts';
import type { LabTest } from './lab-test.ts';
import type { LabTestOrder, LabTestPage } from './store.ts';

/** Where a page ended: the order it was read in, the order key of its last lab test, and that one's id. */
const Cursor = z.tuple([
  z.enum(['price', 'created_at', 'updated_at']),
  z.enum(['asc', 'desc']),
  z.string(),
  z.guid(),
]);

export function cursorAfter({ key, direction }: LabTestOrder, last: LabTest): string {
  const values = {
    price: String(last.price),
    created_at: last.createdAt.toISOString(),
    updated_at: last.updatedAt.toISOString(),
  };
  return Buffer.from(JSON.stringify([key, direction, values[key], last.id])).toString('base64url');
}

/** The place behind which to read on. A cursor is good for the order that it was given in. */
export function readCursor(cursor: string, order: LabTestOrder): LabTestPage['after'] {
  const parsed = Cursor.safeParse(parse(Buffer.from(cursor, 'base64url').toString()));
  const unfit = invalidField(
    ['query', 'next_cursor'],
    'expected a next_cursor of this list, in the same order',
  );
  if (!parsed.success) throw unfit;
  const [key, direction, value, id] = parsed.data;
  const sound = key === 'price' ? /^\d+(\.\d+)?$/.test(value) : GivenMoment.safeParse(value).success;
  if (key !== order.key || direction !== order.direction || !sound) throw unfit;
  return { value, id };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
