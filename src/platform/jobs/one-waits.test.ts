import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { connectLab, openLabLine, resultText, say } from '../../../test/laboratory.ts';

let house: House;
let line: Awaited<ReturnType<typeof openLabLine>>;
let team: TeamInHand;
beforeAll(async () => {
  house = await openHouse();
  line = await openLabLine(house.app);
  team = await house.team();
});
afterAll(async () => {
  await line.stop();
  await house.close();
});

/** A connection whose messages wait, because somebody seems to be at its queue and to have begun just now. */
async function connectionOfSomebody() {
  const connection = await connectLab(team);
  const one = `take-messages/${connection.id}`;
  await house.owner.query(
    `insert into graphile_worker._private_job_queues (queue_name, locked_by, locked_at)
     values ($1, $2, now() + interval '1 hour')`,
    [one, `pool-${randomUUID()}`],
  );
  const jobs = async () =>
    (
      await house.owner.query(
        `select locked_by, revision, run_at <= now() as is_due, attempts, payload
         from graphile_worker._private_jobs where key = $1`,
        [one],
      )
    ).rows;
  const leave = () =>
    house.owner.query(
      'update graphile_worker._private_job_queues set locked_by = null, locked_at = null where queue_name = $1',
      [one],
    );
  const statuses = async (): Promise<string[]> =>
    (await team.management.get(`${connection.path}/message`)).json.data.map(
      ({ status }: { status: string }) => status,
    );
  const tell = (id: string) => say(line, resultText(connection, { id }), id);
  return { connection, one, jobs, leave, statuses, tell };
}

describe('a job of which one is enough', () => {
  it('is there once, however often it is asked for, and what came meanwhile is done by it', async () => {
    const { jobs, leave, statuses, tell } = await connectionOfSomebody();
    for (const id of ['A', 'B', 'C']) expect((await tell(id)).code).toBe('AA');
    expect(await jobs()).toMatchObject([{ revision: 0 }]);
    expect(await statuses()).toEqual(['stored', 'stored', 'stored']);
    await leave();
    await tell('D');
    await house.settle();
    expect(await statuses()).toEqual(['taken', 'taken', 'taken', 'taken']);
  });

  it('is not begun before whoever asked for it again has ended, and then it is', async () => {
    const { one, jobs, leave, statuses, tell } = await connectionOfSomebody();
    await tell('A');
    const [job] = await jobs();
    const asking = new pg.Client(house.owner.options);
    await asking.connect();
    await asking.query('begin');
    await asking.query('select aliquot_enqueue_one($1, $2::json, $3)', [
      'lab-connections.take-messages',
      JSON.stringify(job.payload),
      one,
    ]);
    await leave();
    // Others are done meanwhile, so that the workers have looked for work.
    const other = await connectLab(team);
    await say(line, resultText(other, { id: 'Z' }), 'Z');
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
  ])('%s is brought forward when it is asked for again', async (_name, change) => {
    const { one, jobs, leave, tell } = await connectionOfSomebody();
    await tell('A');
    await house.owner.query(`update graphile_worker._private_jobs set ${change} where key = $1`, [one]);
    await tell('B');
    expect(await jobs()).toMatchObject([{ attempts: 0, is_due: true }]);
    // A job that nobody can begin would keep the house from settling in another test.
    await leave();
  });
});
