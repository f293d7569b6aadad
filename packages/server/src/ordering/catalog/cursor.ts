import { z } from 'zod';
import { invalidField } from '../../platform/errors.ts';
import { TimestampInput } from '../../platform/timestamp-input.ts';
import type { LabTest } from './lab-test.ts';
import type { LabTestSort, LabTestPageOptions } from './store.ts';

/** Where a page ended: its sort key and direction, and the sort value and id of its last lab test. */
const LabTestCursor = z.tuple([
  z.enum(['price', 'created_at', 'updated_at']),
  z.enum(['asc', 'desc']),
  z.string(),
  z.guid(),
]);

export function encodeCursor({ key, direction }: LabTestSort, last: LabTest): string {
  const values = {
    price: String(last.price),
    created_at: last.createdAt.toISOString(),
    updated_at: last.updatedAt.toISOString(),
  };
  return Buffer.from(JSON.stringify([key, direction, values[key], last.id])).toString('base64url');
}

/** The position after which the next page starts. 422 for a cursor of another sort order. */
export function decodeCursor(cursor: string, order: LabTestSort): LabTestPageOptions['after'] {
  const parsed = LabTestCursor.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  const unfit = invalidField(
    ['query', 'next_cursor'],
    'expected a next_cursor returned by this list with the same sort order',
  );
  if (!parsed.success) throw unfit;
  const [key, direction, value, id] = parsed.data;
  const sound = key === 'price' ? /^\d+(\.\d+)?$/.test(value) : TimestampInput.safeParse(value).success;
  if (key !== order.key || direction !== order.direction || !sound) throw unfit;
  return { value, id };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
