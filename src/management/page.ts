import { z } from 'zod';
import { invalidField } from '../platform/errors.ts';

/** Where a page ended: the id of its last row, opaque to the caller. */
const cursorAfter = (id: string): string => Buffer.from(id).toString('base64url');

/** The id behind which to read on. */
export function readCursor(cursor: string | null | undefined): string | undefined {
  if (!cursor) return undefined;
  const id = z.guid().safeParse(Buffer.from(cursor, 'base64url').toString());
  if (!id.success) throw invalidField(['query', 'next_cursor'], 'expected a next_cursor of this list');
  return id.data;
}

/** A page of at most `limit`, from rows that were read one further. */
export function pageOf<T extends { id: string }>(rows: readonly T[], limit: number) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > limit && last ? cursorAfter(last.id) : null };
}
