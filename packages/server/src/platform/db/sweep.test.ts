import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { useTestService } from '../../../test/service-hooks.ts';
import { markSweepDue, sweepStatistics } from './sweep.ts';

const NEIGHBOURS = 4;
const WRITING_MS = 80;

const service = useTestService();

/** Writes constantly to another database of the server: each transaction starts before the previous one ends. */
async function keepWriting(): Promise<{ stop(): Promise<void> }> {
  let stopped = false;
  const neighbour = async (nth: number) => {
    const client = new pg.Client(inject('server').connection);
    await client.connect();
    await sleep((nth * WRITING_MS) / NEIGHBOURS);
    while (!stopped) {
      await client.query(
        `begin; select pg_current_xact_id(), pg_sleep(${(WRITING_MS + 10 * nth) / 1000}); commit`,
      );
    }
    await client.end();
  };
  const all = Array.from({ length: NEIGHBOURS }, (_, nth) => neighbour(nth));
  await sleep(2 * WRITING_MS);
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(all);
    },
  };
}

describe('statistics of dropped columns', () => {
  it('are removed from a server with constant writes', { timeout: 60_000 }, async () => {
    const neighbours = await keepWriting();
    try {
      for (let n = 0; n < 3; n += 1) {
        await markSweepDue(service.ownerPool);
        // Other test files copy and drop databases on this server meanwhile, which may take longer than one try waits.
        await expect.poll(() => sweepStatistics(service.ownerPool), { timeout: 30_000 }).toBe(true);
      }
    } finally {
      await neighbours.stop();
    }
  });
});
