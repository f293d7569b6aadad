import { expect, vi } from 'vitest';
import { SECOND } from '../src/platform/clock.ts';
import type { House } from './house.ts';

/** From now on the storage answers once, to who hands in a file, and is away then; answers how it comes back. */
export function takeStorageAway({ app }: House): () => void {
  const { get } = app.fileStorage;
  const spy = vi.spyOn(app.fileStorage, 'get').mockImplementation(away).mockImplementationOnce(get);
  return () => spy.mockRestore();
}

// eslint-disable-next-line require-yield
async function* away(): AsyncGenerator<Buffer> {
  throw new Error('The storage is away');
}

interface Reading {
  /** The table of those that wait to be read, and the row of this one. */
  readonly row: { readonly table: string; readonly id: string };
  /** Reads the next one; answers whether there was one. */
  readonly readNext: () => Promise<boolean>;
  readonly pausesSeconds: readonly number[];
}

/** Has a file tried in vain and waits, once for each pause; sees that nobody tries it a moment too early. */
export async function waitOut(
  house: House,
  { row: { table, id }, readNext, pausesSeconds }: Reading,
): Promise<void> {
  const look = () => readNext().catch(() => true);
  const isTried = async (tries: number) => {
    const { rows } = await house.owner.query(
      `select from ${table} where id = $1 and tries = $2 and lease_id is null`,
      [id, tries],
    );
    return rows.length > 0;
  };
  for (const [before, seconds] of pausesSeconds.entries()) {
    await look();
    // It may be in the hands of the house's own reader.
    await vi.waitUntil(() => isTried(before + 1), 50_000);
    for (const passed of [0, seconds * SECOND - 1]) {
      house.clock.move(passed);
      expect([seconds, await look()]).toEqual([seconds, false]);
    }
    house.clock.move(1);
  }
}
