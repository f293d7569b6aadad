import { sql, type RawBuilder } from 'kysely';

/** The part of the cipher of a tenant that makes keys. */
interface KeyMaker {
  blindIndex(text: string): Buffer;
}

/**
 * The key of a tenant that scrambles the numbers of a sequence. All tenants share the sequence, so its numbers tell how
 * much others do: callers see them scrambled only.
 */
export const scrambleKeyOf = (cipher: KeyMaker, sequence: string): Buffer =>
  cipher.blindIndex(`scramble/${sequence}`);

/** Above every number that was shown before numbers were scrambled. */
const FIRST_PUBLIC_ID = 2 ** 30;

interface PublicIdBlocks {
  readonly key: Buffer;
  /** Ids in a block, one block for each number: a power of 4. */
  readonly size: number;
}

/**
 * The first public id of the block of a number. Blocks of one tenant do not overlap. Ids have 31 bits, because clients
 * may read them as 32-bit integers.
 */
export function firstPublicId(number: RawBuilder<number>, { key, size }: PublicIdBlocks): RawBuilder<number> {
  const half = (30 - Math.log2(size)) / 2;
  return sql`(${sql.lit(FIRST_PUBLIC_ID)} + ${sql.lit(size)} * aliquot_scramble(${number}, ${sql.lit(half)}, ${key}))`;
}
