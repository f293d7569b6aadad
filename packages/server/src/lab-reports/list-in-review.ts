import type { z } from 'zod';
import { isoTimestamp } from '../platform/clock.ts';
import { invalidField } from '../platform/errors.ts';
import type { Work } from '../platform/work.ts';
import type { InReviewList, InReviewQuery } from './schema.ts';
import * as store from './store.ts';

/** The jobs that wait for a review, the longest waiting first; 422 for an invalid cursor. */
export async function listInReview(
  work: Work,
  { limit, next_cursor: cursor }: InReviewQuery,
): Promise<z.input<typeof InReviewList>> {
  const after = cursor ? decodeCursor(cursor) : undefined;
  const rows = await store.listInReview(work, { limit: limit + 1, after });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    data: page.map(({ created_at: createdAt, updated_at: updatedAt, ...row }) => ({
      ...row,
      created_at: isoTimestamp(createdAt),
      updated_at: isoTimestamp(updatedAt),
    })),
    next_cursor: last ? encodeCursor(last) : null,
  };
}

const encodeCursor = ({ updated_at: at, id }: store.InReviewRow): string =>
  Buffer.from(`${at.toISOString()}/${id}`).toString('base64url');

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function decodeCursor(text: string): { updatedAt: Date; id: string } {
  const [, at = '', id = ''] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const updatedAt = new Date(at);
  if (id === '' || Number.isNaN(updatedAt.getTime()))
    throw invalidField(['query', 'next_cursor'], 'expected a next_cursor of this list');
  return { updatedAt, id };
}
