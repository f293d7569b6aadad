import { z } from 'zod';
import { invalidField } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';

/** Query fields of a paginated list. `cursor` is the older name. */
export const pageQueryFields = {
  next_cursor: z.string().max(4000).nullish(),
  cursor: z.string().max(4000).nullish().meta({ deprecated: true }),
};
export interface PageQuery {
  readonly next_cursor?: string | null | undefined;
  readonly cursor?: string | null | undefined;
}

/** Response fields of a paginated list. `next` is the older name. */
export const nextPageFields = {
  next: z.string().nullable().meta({ deprecated: true }),
  next_cursor: z.string().nullable(),
};

/**
 * Both names of the next cursor. It is encrypted for the tenant and this list, so that clients cannot read it, forge
 * it, or use it for another list.
 */
export function createCursors(work: Work, list: string, next: string | null) {
  const cursor = next === null ? null : work.cipher.seal(next, sealContext(list)).toString('base64url');
  return { next: cursor, next_cursor: cursor };
}

/** Decrypts a cursor; undefined on the first page. 422 for anything that `createCursors` did not make for this list. */
export function openCursor(
  { cipher }: Work,
  list: string,
  { next_cursor, cursor }: PageQuery,
): string | undefined {
  const given = next_cursor || cursor;
  if (!given) return undefined;
  try {
    return cipher.open(Buffer.from(given, 'base64url'), sealContext(list));
  } catch {
    const name = next_cursor ? 'next_cursor' : 'cursor';
    throw invalidField(['query', name], 'expected the next_cursor of an earlier response of this list');
  }
}

const sealContext = (list: string) => `cursor/${list}`;
