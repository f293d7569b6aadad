import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openHouse, type House } from '../../../test/house.ts';
import { stopWithin } from '../../../test/stopped.ts';
import { tendOrphans } from '../jobs/orphans.ts';
import type { Tx } from './database.ts';
import { asSystem } from './transact.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const lock = (tx: Tx) => sql`select pg_advisory_xact_lock(hashtextextended('anything', 0))`.execute(tx);
const KEPT_ALIVE = `select name from pg_settings where name like 'tcp_keepalives_%' and source = 'session' order by 1`;
const ALL_OF_THEM = ['count', 'idle', 'interval'].map((name) => ({ name: `tcp_keepalives_${name}` }));

describe('what a process had locked that closed no connection', () => {
  it('is free again after a while, where it was stopped', async () => {
    const process = stopWithin(house.app.db, lock);
    await process.stopped;
    await asSystem(house.app.db, lock);
    expect(await process.resume()).toBe('undone');
  });

  it('is free again after a while, where its machine is gone', async () => {
    const ofWork = await asSystem(house.app.db, (tx) => sql.raw(KEPT_ALIVE).execute(tx));
    const ofOwner = await house.owner.query(KEPT_ALIVE);
    expect([ofWork.rows, ofOwner.rows]).toEqual([ALL_OF_THEM, ALL_OF_THEM]);
  });

  it('is free again after a while, where it was the sign that it lives', async () => {
    const connecting = vi.spyOn(pg.Client.prototype, 'connect');
    const tender = await tendOrphans(house.app, house.owner, ['pool-living']);
    const [sign] = connecting.mock.contexts;
    connecting.mockRestore();
    if (!(sign instanceof pg.Client)) throw new Error('It gives no sign');
    expect((await sign.query(KEPT_ALIVE)).rows).toEqual(ALL_OF_THEM);
    await tender.stop();
  });
});
