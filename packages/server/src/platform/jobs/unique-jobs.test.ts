import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { JOB_QUEUES, QUEUED_JOBS } from '../../../test/queue-tables.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import {
  connectLab,
  openMllpListeners,
  resultText,
  sendLabMessage,
  type TestMllpListeners,
} from '../../../test/laboratory.ts';

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

/** A connection whose messages wait, because its queue was apparently just locked. */
async function connectionOfSomebody() {
  const connection = await connectLab(team);
  const one = `take-messages/${connection.id}`;
  await service.ownerPool.query(
    `insert into ${JOB_QUEUES} (queue_name, locked_by, locked_at)
     values ($1, $2, now() + interval '1 hour')`,
    [one, `pool-${randomUUID()}`],
  );
  const jobs = async () =>
    (
      await service.ownerPool.query(
        `select locked_by, revision, run_at <= now() as is_due, attempts, payload
         from ${QUEUED_JOBS} where key = $1`,
        [one],
      )
    ).rows;
  const leave = () =>
    service.ownerPool.query(
      `update ${JOB_QUEUES} set locked_by = null, locked_at = null where queue_name = $1`,
      [one],
    );
  const statuses = async (): Promise<string[]> =>
    (await team.management.get(`${connection.path}/message`)).json.data.map(
      ({ status }: { status: string }) => status,
    );
  const tell = (id: string) => sendLabMessage({ line, connection }, resultText(connection, { id }), id);
  return { connection, one, jobs, leave, statuses, tell };
}

describe('a unique job', () => {
  it('is queued once, however often it is enqueued, and handles everything added meanwhile', async () => {
    const { jobs, leave, statuses, tell } = await connectionOfSomebody();
    for (const id of ['A', 'B', 'C']) expect((await tell(id)).code).toBe('AA');
    // The plain driver replaces a waiting job; the fast one does not write it.
    expect(await jobs()).toMatchObject([{ revision: inject('server').driver === 'plain' ? 2 : 0 }]);
    expect(await statuses()).toEqual(['stored', 'stored', 'stored']);
    await leave();
    await tell('D');
    await service.settle();
    expect(await statuses()).toEqual(['taken', 'taken', 'taken', 'taken']);
  });

  it('does not start before the transaction that enqueued it again has ended, and then does', async () => {
    const { one, jobs, leave, statuses, tell } = await connectionOfSomebody();
    await tell('A');
    const [job] = await jobs();
    const asking = new pg.Client(service.ownerPool.options);
    await asking.connect();
    await asking.query('begin');
    await asking.query('select aliquot_enqueue_one($1, $2::json, $3)', [
      'lab-connections.take-messages',
      JSON.stringify(job.payload),
      one,
    ]);
    await leave();
    // Other jobs run meanwhile, so the workers have looked for work.
    const other = await connectLab(team);
    await sendLabMessage({ line, connection: other }, resultText(other, { id: 'Z' }), 'Z');
    await vi.waitUntil(
      async () =>
        (await team.management.get(`${other.path}/message`)).json.data.every(
          ({ status }: { status: string }) => status === 'taken',
        ),
      { timeout: 50_000 },
    );
    expect(await jobs()).toMatchObject([{ locked_by: null }]);
    expect(await statuses()).toEqual(['stored']);
    await asking.query('commit');
    await asking.end();
    await vi.waitUntil(async () => (await statuses())[0] === 'taken', { timeout: 50_000 });
  });

  it.each([
    ['that failed', 'attempts = 1'],
    ['that begins later', "run_at = now() + interval '1 hour'"],
  ])('%s is brought forward when it is enqueued again', async (_name, change) => {
    const { one, jobs, leave, tell } = await connectionOfSomebody();
    await tell('A');
    await service.ownerPool.query(`update ${QUEUED_JOBS} set ${change} where key = $1`, [one]);
    await tell('B');
    expect(await jobs()).toMatchObject([{ attempts: 0, is_due: true }]);
    // A job that can never start would keep the test service from settling in another test.
    await leave();
  });
});
