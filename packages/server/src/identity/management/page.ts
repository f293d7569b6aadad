import { z } from 'zod';
import { invalidField } from '../../platform/errors.ts';

/** The cursor of the next page: the id of the last row, opaque to the caller. */
const encodeCursor = (id: string): string => Buffer.from(id).toString('base64url');

/** The id after which the page starts; undefined for the first page. 422 for an invalid cursor. */
export function decodeCursor(cursor: string | null | undefined): string | undefined {
  if (!cursor) return undefined;
  const id = z.guid().safeParse(Buffer.from(cursor, 'base64url').toString());
  if (!id.success)
    throw invalidField(['query', 'next_cursor'], 'expected the next_cursor of an earlier page of this list');
  return id.data;
}

/** A page of at most `limit` items; expects up to `limit + 1` rows, to know whether there is a next page. */
export function toPage<T extends { id: string }>(rows: readonly T[], limit: number) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > limit && last ? encodeCursor(last.id) : null };
}
