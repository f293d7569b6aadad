import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { QUEUED_JOBS, QUEUE_TASKS } from '../../../test/queue-tables.ts';
import { order } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import {
  connectLab,
  openMllpListeners,
  resultText,
  sendLabMessage,
  type TestMllpListeners,
} from '../../../test/laboratory.ts';
import { DAY, isoDay, later, MINUTE } from '../clock.ts';
import { inTenant, type Platform } from '../work.ts';
import { fireTimers, setTimer } from './timers.ts';

const AHEAD_MS = 100;

let service: TestService;
let line: TestMllpListeners;
let team: TestTeam;
/** Another process on the same database. The jobs of its timers run in the test service. */
let ahead: Platform;
beforeAll(async () => {
  service = await openTestService();
  line = await openMllpListeners(service.app);
  team = await service.team();
  ahead = { ...service.app, clock: { now: () => later(service.clock.now(), AHEAD_MS) } };
});
afterAll(async () => {
  await line.stop();
  await service.close();
});

/** Fires the timers that are due by the clock that is ahead. */
async function firedAhead(moment: Date): Promise<void> {
  service.clock.move(moment.getTime() - service.clock.now().getTime() - AHEAD_MS / 2);
  await service.settle();
  await fireTimers(ahead);
  await service.settle();
}

const messages = async (path: string) => (await team.management.get(`${path}/message`)).json.data;

describe('a timer that is fired by a process whose clock is ahead of the one that runs its job', () => {
  it('sends a scheduled order on its day', async () => {
    const testId = await findLabTestId(team, 'walk_in_test');
    const activate_by = isoDay(later(service.clock.now(), 2 * DAY));
    const placed = await team.post('/v3/order', { ...order(await team.user(), testId), activate_by });
    await firedAhead(new Date(`${activate_by}T00:00:00Z`));
    const { last_event } = (await team.get(`/v3/order/${placed.json.order.id}`)).json;
    expect(last_event.status).toBe('received.walk_in_test.requisition_created');
  });

  it('erases a user whose grace period is over', async () => {
    const id = await team.user();
    await team.delete(`/v2/user/${id}`);
    await firedAhead(later(service.clock.now(), 7 * DAY));
    const { rows } = await service.ownerPool.query('select from app_user where id = $1', [id]);
    expect(rows).toEqual([]);
  });

  it('processes a postponed laboratory message', async () => {
    const connection = await connectLab(team);
    await service.ownerPool.query(
      `alter table incoming_result add constraint none check (team_id <> '${team.tenant.teamId}') not valid`,
    );
    await sendLabMessage({ line, connection }, resultText(connection));
    await service.settle();
    await service.ownerPool.query('alter table incoming_result drop constraint none');
    expect(await messages(connection.path)).toMatchObject([{ status: 'stored' }]);
    await firedAhead(later(service.clock.now(), MINUTE));
    expect(await messages(connection.path)).toMatchObject([{ status: 'taken' }]);
  });
});

describe('timers that are due together', () => {
  it('enqueue their jobs in the order of their due times', async () => {
    const job = { name: `test.${randomUUID()}`, input: z.object({ minute: z.int() }) };
    const minutes = [3, 1, 5, 2, 4];
    await inTenant(service.app, team.tenant, async (work) => {
      for (const minute of minutes) {
        const dueAt = later(work.now, minute * MINUTE);
        await setTimer(work, job, { key: `${minute}`, dueAt, input: { minute } });
      }
    });
    service.clock.move(5 * MINUTE);
    const brought = async (): Promise<unknown[]> => {
      const { rows } = await service.ownerPool.query(
        `select payload -> 'input' -> 'minute' as minute from ${QUEUED_JOBS} as job
           join ${QUEUE_TASKS} as task on task.id = job.task_id
         where identifier = $1 order by run_at`,
        [job.name],
      );
      return rows.map(({ minute }) => minute);
    };
    await expect.poll(brought).toEqual([1, 2, 3, 4, 5]);
    await service.ownerPool.query(`delete from ${QUEUED_JOBS} where locked_by is null`);
  });
});
