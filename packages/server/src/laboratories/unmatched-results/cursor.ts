import { z } from 'zod';
import { invalidField } from '../../platform/errors.ts';
import type { IncomingResult, ReviewPageOptions } from '../incoming-results/incoming-results.ts';

/** The position of the last result of a page: its creation time and id. */
const Cursor = z.tuple([z.iso.datetime(), z.guid()]);

export const cursorAfter = ({ created_at: at, id }: IncomingResult): string =>
  Buffer.from(JSON.stringify([at.toISOString(), id])).toString('base64url');

/** The position to continue after; null for the first page. */
export function readCursor(cursor: string | null | undefined): ReviewPageOptions['after'] {
  if (cursor == null) return null;
  const parsed = Cursor.safeParse(parse(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success)
    throw invalidField(['query', 'next_cursor'], 'expected a next_cursor returned by this list');
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
