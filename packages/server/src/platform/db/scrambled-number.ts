import { sql } from 'kysely';
import type { Tx } from './database.ts';
import { precompileQuery } from './precompiled-query.ts';

/**
 * Numbers of a sequence that all tenants share tell how much others do, so callers see them scrambled by a key of their
 * tenant. The number itself gives the order.
 */
export interface ScrambledNumber {
  readonly number: number;
  /** Unique within the tenant, and at most 31 bits long, because clients may read it as a 32-bit integer. */
  readonly publicId: number;
}

/** The part of the cipher of a tenant that makes keys. */
interface KeyMaker {
  blindIndex(text: string): Buffer;
}

/** The key of a tenant for `aliquot_scramble` in the database. */
export const scrambleKeyOf = (cipher: KeyMaker, sequence: string): Buffer =>
  cipher.blindIndex(`scramble/${sequence}`);

interface NumberSource {
  readonly tx: Tx;
  readonly cipher: KeyMaker;
}

/** Takes the next number of a sequence. */
export async function takeScrambledNumber(
  { tx, cipher }: NumberSource,
  sequence: string,
): Promise<ScrambledNumber> {
  const [row] = await nextNumberQuery(tx, { sequence, key: scrambleKeyOf(cipher, sequence) });
  if (!row) throw new Error(`The sequence ${sequence} gave no number`);
  return row;
}

const nextNumberQuery = precompileQuery((tx, { sequence, key }: { sequence: string; key: Buffer }) =>
  tx
    .selectFrom(sql<{ number: number }>`(select nextval(${sequence}::text::regclass) as number)`.as('next'))
    .select(['next.number', sql<number>`aliquot_scramble(next.number, ${key})`.as('publicId')]),
);
