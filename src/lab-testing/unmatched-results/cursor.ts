import { z } from 'zod';
import { invalidField } from '../../platform/errors.ts';
import type { Incoming, ReviewPage } from '../incoming-results/incoming-results.ts';

/** Where a page ended: when its last result was taken, and its id. */
const Cursor = z.tuple([z.iso.datetime(), z.guid()]);

export const cursorAfter = ({ created_at: at, id }: Incoming): string =>
  Buffer.from(JSON.stringify([at.toISOString(), id])).toString('base64url');

/** The place behind which to read on; null at the beginning. */
export function readCursor(cursor: string | null | undefined): ReviewPage['after'] {
  if (cursor == null) return null;
  const parsed = Cursor.safeParse(parse(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success) throw invalidField(['query', 'next_cursor'], 'expected a next_cursor of this list');
  const [createdAt, id] = parsed.data;
  return { createdAt: new Date(createdAt), id };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
