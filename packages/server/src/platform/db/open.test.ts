import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { useTestService } from '../../../test/service-hooks.ts';
import { stallInTransaction } from '../../../test/stalled-transaction.ts';
import type { Tx } from './database.ts';
import { asSystem } from './transact.ts';

const service = useTestService();

const lock = (tx: Tx) => sql`select pg_advisory_xact_lock(hashtextextended('anything', 0))`.execute(tx);
const KEPT_ALIVE = `select name from pg_settings where name like 'tcp_keepalives_%' and source = 'session' order by 1`;
const ALL_OF_THEM = ['count', 'idle', 'interval'].map((name) => ({ name: `tcp_keepalives_${name}` }));

describe('locks of a process that did not close its connection', () => {
  it('are released after a while when the process was stopped', async () => {
    const process = stallInTransaction(service.app.db, lock);
    await process.stopped;
    await asSystem(service.app.db, lock);
    expect(await process.resume()).toBe('undone');
  });

  it('are released after a while when its machine is gone', async () => {
    const ofWork = await asSystem(service.app.db, (tx) => sql.raw(KEPT_ALIVE).execute(tx));
    const ofOwner = await service.ownerPool.query(KEPT_ALIVE);
    expect([ofWork.rows, ofOwner.rows]).toEqual([ALL_OF_THEM, ALL_OF_THEM]);
  });
});
