import { expect, vi } from 'vitest';
import { SECOND } from '../src/platform/clock.ts';
import type { TestService } from './service.ts';

/** The storage serves one more read, for the upload, and then fails. Returns a function that restores it. */
export function failStorage({ app }: TestService): () => void {
  const { get } = app.fileStorage;
  const spy = vi.spyOn(app.fileStorage, 'get').mockImplementation(failingRead).mockImplementationOnce(get);
  return () => spy.mockRestore();
}

// eslint-disable-next-line require-yield
async function* failingRead(): AsyncGenerator<Buffer> {
  throw new Error('The storage is unavailable');
}

interface PendingFile {
  /** The table of pending files, and the row of this one. */
  readonly row: { readonly table: string; readonly id: string };
  /** Processes the next pending file; returns whether there was one. */
  readonly readNext: () => Promise<boolean>;
  readonly pausesSeconds: readonly number[];
}

/** Expects a failed attempt before each pause, and no attempt before the pause is over. */
export async function expectRetryPauses(
  service: TestService,
  { row: { table, id }, readNext, pausesSeconds }: PendingFile,
): Promise<void> {
  const look = () => readNext().catch(() => true);
  const isTried = async (tries: number) => {
    const { rows } = await service.ownerPool.query(
      `select from ${table} where id = $1 and tries = $2 and lease_id is null`,
      [id, tries],
    );
    return rows.length > 0;
  };
  for (const [before, seconds] of pausesSeconds.entries()) {
    await look();
    // The service's own worker may be processing it.
    await vi.waitUntil(() => isTried(before + 1), 50_000);
    for (const passed of [0, seconds * SECOND - 1]) {
      service.clock.move(passed);
      expect([seconds, await look()]).toEqual([seconds, false]);
    }
    service.clock.move(1);
  }
}
