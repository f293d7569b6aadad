import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { connectLab, openLabLine, resultText, say } from '../../../test/laboratory.ts';
import { tendOrphans } from './orphans.ts';

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

/** A connection whose job of taking its messages somebody was at for so long, in the queue of its name. */
async function underWay(by: string, seconds: number) {
  const connection = await connectLab(team);
  const payload = {
    team_id: team.tenant.teamId,
    environment: team.tenant.environment,
    input: { connection_id: connection.id },
  };
  const since = `now() - interval '${seconds} seconds'`;
  await house.owner.query(
    `with job as (
       select * from graphile_worker.add_job('lab-connections.take-messages', $1::json, queue_name => $2,
         run_at => now() + interval '1 hour')
     ) select from job`,
    [JSON.stringify(payload), `take-messages/${connection.id}`],
  );
  const { rows } = await house.owner.query(
    `update graphile_worker._private_job_queues set locked_by = $1, locked_at = ${since}
     where queue_name = $2 returning id`,
    [by, `take-messages/${connection.id}`],
  );
  await house.owner.query(
    `update graphile_worker._private_jobs set locked_by = $1, locked_at = ${since}, run_at = now()
     where job_queue_id = $2`,
    [by, rows[0].id],
  );
  return connection;
}

const lockOf = async (connection: { id: string }): Promise<string | undefined> =>
  (
    await house.owner.query(
      'select locked_by from graphile_worker._private_job_queues where queue_name = $1',
      [`take-messages/${connection.id}`],
    )
  ).rows[0]?.locked_by;

/** One look, by a process of its own. */
async function look(): Promise<void> {
  const tender = await tendOrphans(house.app, house.owner, [`pool-${randomUUID()}`]);
  await tender.stop();
}

describe('jobs that a process was at', () => {
  it('are done by others when it is gone, and so is what waits behind them', async () => {
    const connection = await underWay(`pool-${randomUUID()}`, 60);
    expect((await say(line, resultText(connection))).code).toBe('AA');
    await look();
    await house.settle();
    const messages = (await team.management.get(`${connection.path}/message`)).json.data;
    expect(messages).toMatchObject([{ status: 'taken' }]);
  });

  it('are left to it while it lives, and for a moment in any case', async () => {
    const living = new pg.Client(house.owner.options);
    await living.connect();
    const [name, newcomer] = [`pool-${randomUUID()}`, `pool-${randomUUID()}`];
    await living.query("select pg_advisory_lock(hashtextextended('aliquot-jobs/' || $1, 0))", [name]);
    // However long the look takes: it began an hour from now.
    const [itsOwn, young] = [await underWay(name, 3600), await underWay(newcomer, -3600)];
    await look();
    expect([await lockOf(itsOwn), await lockOf(young)]).toEqual([name, newcomer]);
    await living.end();
    await expect.poll(() => look().then(() => lockOf(itsOwn))).not.toBe(name);
    // Nobody would ever do what the newcomer is at.
    await house.owner.query('delete from graphile_worker._private_jobs where locked_by = $1', [newcomer]);
  });
});
