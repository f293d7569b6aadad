import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { JOB_QUEUES, QUEUED_JOBS } from '../../../test/queue-tables.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import {
  connectLab,
  openMllpListeners,
  resultText,
  sendLabMessage,
  type TestMllpListeners,
} from '../../../test/laboratory.ts';
import { startOrphanRecovery } from './orphans.ts';

let service: TestService;
let line: TestMllpListeners;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  line = await openMllpListeners(service.app);
  team = await service.team();
});
afterAll(async () => {
  await line.stop();
  await service.close();
});

/** A connection whose job has been locked for this long, in its named queue. */
async function underWay(by: string, seconds: number) {
  const connection = await connectLab(team);
  const payload = {
    team_id: team.tenant.teamId,
    environment: team.tenant.environment,
    input: { connection_id: connection.id },
  };
  const since = `now() - interval '${seconds} seconds'`;
  await service.ownerPool.query(
    `with job as (
       select * from graphile_worker.add_job('lab-connections.take-messages', $1::json, queue_name => $2,
         run_at => now() + interval '1 hour')
     ) select from job`,
    [JSON.stringify(payload), `take-messages/${connection.id}`],
  );
  const { rows } = await service.ownerPool.query(
    `update ${JOB_QUEUES} set locked_by = $1, locked_at = ${since}
     where queue_name = $2 returning id`,
    [by, `take-messages/${connection.id}`],
  );
  await service.ownerPool.query(
    `update ${QUEUED_JOBS} set locked_by = $1, locked_at = ${since}, run_at = now()
     where job_queue_id = $2`,
    [by, rows[0].id],
  );
  return connection;
}

const lockOf = async (connection: { id: string }): Promise<string | undefined> =>
  (
    await service.ownerPool.query(`select locked_by from ${JOB_QUEUES} where queue_name = $1`, [
      `take-messages/${connection.id}`,
    ])
  ).rows[0]?.locked_by;

/** One recovery check by a separate process. */
async function look(): Promise<void> {
  const tender = await startOrphanRecovery(service.app, service.ownerPool, [`pool-${randomUUID()}`]);
  await tender.stop();
}

describe('running jobs of a process', () => {
  it('are run by others when it is gone, and so are the jobs queued after them', async () => {
    const connection = await underWay(`pool-${randomUUID()}`, 60);
    expect((await sendLabMessage({ line, connection }, resultText(connection))).code).toBe('AA');
    await look();
    await service.settle();
    const messages = (await team.management.get(`${connection.path}/message`)).json.data;
    expect(messages).toMatchObject([{ status: 'taken' }]);
  });

  it('are left to it while it is alive, and briefly in any case', async () => {
    const living = new pg.Client(service.ownerPool.options);
    await living.connect();
    const [name, newcomer] = [`pool-${randomUUID()}`, `pool-${randomUUID()}`];
    await living.query("select pg_advisory_lock(hashtextextended('aliquot-jobs/' || $1, 0))", [name]);
    // The lock is an hour in the future, however long the check takes.
    const [itsOwn, young] = [await underWay(name, 3600), await underWay(newcomer, -3600)];
    await look();
    expect([await lockOf(itsOwn), await lockOf(young)]).toEqual([name, newcomer]);
    await living.end();
    await expect.poll(() => look().then(() => lockOf(itsOwn))).not.toBe(name);
    // Otherwise the jobs of the new process would never run.
    await service.ownerPool.query(`delete from ${QUEUED_JOBS} where locked_by = $1`, [newcomer]);
  });
});

const KEEPALIVES_SET = `select name from pg_settings where name like 'tcp_keepalives_%' and source = 'session' order by 1`;
const ALL_KEEPALIVES = ['count', 'idle', 'interval'].map((name) => ({ name: `tcp_keepalives_${name}` }));

it('ends the liveness lock of a process whose machine is gone after a while', async () => {
  const connecting = vi.spyOn(pg.Client.prototype, 'connect');
  const tender = await startOrphanRecovery(service.app, service.ownerPool, ['pool-living']);
  const [sign] = connecting.mock.contexts;
  connecting.mockRestore();
  if (!(sign instanceof pg.Client)) throw new Error('It gives no sign');
  expect((await sign.query(KEEPALIVES_SET)).rows).toEqual(ALL_KEEPALIVES);
  await tender.stop();
});
