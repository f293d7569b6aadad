import { z } from 'zod';
import { invalidField } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';

/** How callers go on with a list: `cursor` is the older name. */
export const nextPage = {
  next_cursor: z.string().max(4000).nullish(),
  cursor: z.string().max(4000).nullish().meta({ deprecated: true }),
};
export interface NextPage {
  readonly next_cursor?: string | null | undefined;
  readonly cursor?: string | null | undefined;
}

/** How a list tells where it goes on: `next` is the older name. */
export const nextOfPage = {
  next: z.string().nullable().meta({ deprecated: true }),
  next_cursor: z.string().nullable(),
};

/**
 * Both names of where a list goes on. It is sealed for the tenant and this one list, so that nobody can write one,
 * read one, or take it to the list of somebody else.
 */
export function cursorsOf(work: Work, list: string, next: string | null) {
  const cursor = next === null ? null : work.cipher.seal(next, placeOf(list)).toString('base64url');
  return { next: cursor, next_cursor: cursor };
}

/** Where to go on; undefined at the beginning. 422 for what `cursorsOf` did not make for this list. */
export function afterOf(
  { cipher }: Work,
  list: string,
  { next_cursor, cursor }: NextPage,
): string | undefined {
  const given = next_cursor || cursor;
  if (!given) return undefined;
  try {
    return cipher.open(Buffer.from(given, 'base64url'), placeOf(list));
  } catch {
    const name = next_cursor ? 'next_cursor' : 'cursor';
    throw invalidField(['query', name], 'expected the next_cursor that this list answered');
  }
}

const placeOf = (list: string) => `cursor/${list}`;
