import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useTestService } from '../../test/service-hooks.ts';
import type { TestTeam } from '../../test/service.ts';
import { useTeamBackups } from '../../test/team-backups.ts';
import { useWebhookFixture } from '../../test/webhook-fixture.ts';
import { cleanDestination } from '../delivery/pipelines/cleaner.ts';
import { DAY, HOUR, SECOND } from '../platform/clock.ts';
import { releaseTeam } from './backup.ts';
import { TIMER_RULES } from './team-rules.ts';

const service = useTestService();
const hooks = useWebhookFixture(service);
const { query, backUp, backUpNow, restore, loseTeam, auditFaults, log } = useTeamBackups(service);

/** A timer of every kind, due in an hour. */
async function setTimers({ tenant: { teamId, environment } }: TestTeam): Promise<void> {
  const due = new Date(service.clock.now().getTime() + HOUR);
  for (const job of Object.keys(TIMER_RULES))
    await query(
      'insert into timer (team_id, environment, job, key, due_at, due_wall, input) values ($1, $2, $3, $4, $5, $5, $6)',
      [teamId, environment, job, 'test', due, JSON.stringify({ order_id: teamId })],
    );
}

const timersOf = ({ tenant: { teamId } }: TestTeam) =>
  query<{ job: string; due_at: Date; due_wall: Date; input: unknown }>(
    "select job, due_at, due_wall, input from timer where team_id = $1 and key = 'test' order by job",
    [teamId],
  );

describe('what waited when the backup was made', () => {
  it('is held if it would send something out, until it is released', async () => {
    const team = await service.team();
    await setTimers(team);
    const before = await timersOf(team);
    const path = await backUp();
    await loseTeam(team);
    const { held, goesOn, heldOrders } = await restore(path, team);
    const kinds = (rule: string) => Object.keys(TIMER_RULES).filter((job) => TIMER_RULES[job] === rule);
    expect(held).toEqual(
      kinds('held')
        .toSorted()
        .map((kind) => ({ kind, count: 1 })),
    );
    expect(goesOn).toEqual(
      kinds('goes on')
        .toSorted()
        .map((kind) => ({ kind, count: 1 })),
    );
    expect(heldOrders).toEqual([team.tenant.teamId]);
    const late = new Date(service.clock.now().getTime() + 1000 * DAY);
    const due = (await timersOf(team)).filter((timer) => timer.due_wall < late).map(({ job }) => job);
    expect(due).toEqual(kinds('goes on').toSorted());

    const ask = { teamId: team.tenant.teamId, kinds: [] };
    const told = await releaseTeam(service.app, service.ownerPool, { ...ask, dryRun: true });
    expect(told).toEqual({ released: held, orders: heldOrders });
    const some = { ...ask, kinds: ['mail.carry'], dryRun: false };
    expect((await releaseTeam(service.app, service.ownerPool, some)).released).toEqual([
      { kind: 'mail.carry', count: 1 },
    ]);
    await releaseTeam(service.app, service.ownerPool, { ...ask, dryRun: false });
    expect(await timersOf(team)).toEqual(before);
    expect((await releaseTeam(service.app, service.ownerPool, { ...ask, dryRun: false })).released).toEqual(
      [],
    );
    expect(await auditFaults(team)).toEqual([]);
  });

  it('in the queue of jobs becomes held, too', async () => {
    const team = await service.team();
    const { teamId, environment } = team.tenant;
    const payload = JSON.stringify({ team_id: teamId, environment, input: { key: 'letter' } });
    const add = `select graphile_worker.add_job('mail.carry', $1::json, run_at := now() + interval '1 day',
      flags := array[aliquot_tenant_flag($1::json)])`;
    await query(add, [payload]);
    const path = await backUp();
    await query(add, [payload]);
    const restored = await restore(path, team, { replace: true });
    expect(restored.jobsRemoved).toBe(2);
    expect(restored.held).toEqual([{ kind: 'mail.carry', count: 1 }]);
    const [timer] = await query("select input from timer where team_id = $1 and job = 'mail.carry'", [
      teamId,
    ]);
    expect(timer).toEqual({ input: { key: 'letter' } });
    expect(await query("select from graphile_worker.jobs where task_identifier = 'mail.carry'")).toEqual([]);
  });

  it('for a webhook fails with a reason, and can be sent again', async () => {
    const team = await service.team();
    const { receiver, path: hookPath } = await hooks.hook(team);
    receiver.respond = () => ({ status: 503 });
    await hooks.say(team, 1);
    await service.settle();
    const path = await backUp();
    await loseTeam(team);
    const tries = receiver.received.length;
    receiver.respond = () => ({ status: 200 });
    service.clock.move(SECOND);
    expect((await restore(path, team)).failedMessages).toBe(1);
    service.clock.move(2 * DAY);
    await service.settle();
    expect(receiver.received).toHaveLength(tries);

    const attempts = (await team.management.get(`${hookPath}/attempt`)).json;
    expect(attempts.data[0]).toMatchObject({ attempt: 2, error: 'restored from a backup: not sent again' });
    const since = new Date(service.clock.now().getTime() - 30 * DAY).toISOString();
    expect((await team.management.post(`${hookPath}/recover`, { since })).status).toBe(200);
    await service.settle();
    expect(receiver.received).toHaveLength(tries + 1);
  });

  it('for an event broker is held, also from what cleans its queue', async () => {
    const team = await service.team();
    const { teamId } = team.tenant;
    await hooks.say(team, 1);
    await service.settle();
    const destination = randomUUID();
    await query(
      `insert into event_pipeline (team_id, environment, push_historical_data, provider_raw_data, preferred, enabled, created_at, updated_at)
       values ($1, 'sandbox', false, false, 'nats', '{nats}', now(), now())`,
      [teamId],
    );
    await query(
      `insert into event_destination (team_id, environment, id, broker, role, created_at, retry_at)
       values ($1, 'sandbox', $2, 'nats', 'main', now(), $3)`,
      [teamId, destination, new Date(service.clock.now().getTime() + DAY)],
    );
    const waiting = `select due_wall from pipeline_delivery where team_id = $1`;
    await query(
      `insert into pipeline_delivery (team_id, environment, destination_id, event_id, position, due_wall)
       select team_id, environment, $2, id, position, $3 from event where team_id = $1`,
      [teamId, destination, new Date(service.clock.now().getTime() + HOUR)],
    );
    const before = await query(waiting, [teamId]);
    const path = await backUp();
    await loseTeam(team);
    const kinds = (await restore(path, team)).held;
    expect(kinds).toEqual([{ kind: 'pipeline_delivery', count: 1 }]);
    const held = await query(waiting, [teamId]);
    await cleanDestination(service.app, destination);
    expect(await query(waiting, [teamId])).toEqual(held);
    await releaseTeam(service.app, service.ownerPool, { teamId, kinds: [], dryRun: false });
    expect(await query(waiting, [teamId])).toEqual(before);
  });

  it('as an event without a position gets one, and nothing reacts to it', async () => {
    const team = await service.team();
    const { receiver } = await hooks.hook(team);
    await hooks.say(team, 1);
    await service.settle();
    const { latest } = await log(team);
    const locking = await service.ownerPool.connect();
    let path: string;
    try {
      // As in the moment before it was passed on: what passes events on leaves a locked log alone.
      await locking.query('begin');
      await locking.query('select from event_log_head where team_id = $1 for update', [team.tenant.teamId]);
      await query('update event set position = null where team_id = $1', [team.tenant.teamId]);
      path = await backUpNow();
    } finally {
      locking.release(true);
    }
    await service.settle();
    const restored = await restore(path, team, { replace: true });
    expect(restored.unhandledEvents).toBe(1);
    await service.settle();
    expect(receiver.received).toHaveLength(2);
    expect((await log(team)).positions).toEqual([latest + 2]);
  });
});
