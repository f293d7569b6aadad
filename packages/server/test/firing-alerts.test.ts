import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTenant } from '../src/app.ts';
import { buildProbePort } from '../src/compose.ts';
import { receiveReport } from '../src/laboratories/incoming-results/incoming-results.ts';
import { DAY, MINUTE, SECOND } from '../src/platform/clock.ts';
import { hasPrometheus, openPrometheus, waitFor, type RunningPrometheus } from './prometheus.ts';
import { QUEUED_JOBS, QUEUE_TASKS } from './queue-tables.ts';
import { observationsOf, placeOrder, reportOf } from './received-reports.ts';
import { openTestService, type TestService, type TestTeam } from './service.ts';

const RULES = fileURLToPath(new URL('../../../deploy/prometheus/alerts.yml', import.meta.url));
const PATIENCE_MS = 80_000;

let service: TestService;
let team: TestTeam;
let prometheus: RunningPrometheus;
/** Another process of the service, as far as Prometheus can tell. */
let other: { stop(): Promise<void> };
/** A session that holds locks. */
let blocker: pg.Client;
const cleanups: (() => Promise<unknown>)[] = [];

async function openTarget(): Promise<{ address: string; stop(): Promise<void> }> {
  const { server } = buildProbePort(service.app);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const stop = async () => {
    server.server.closeAllConnections();
    await server.close();
  };
  cleanups.push(stop);
  return { address: new URL(url).host, stop };
}

beforeAll(async () => {
  if (!hasPrometheus) return;
  service = await openTestService();
  team = await service.team('production');
  const targets = [await openTarget(), await openTarget()] as const;
  [, other] = targets;
  prometheus = await openPrometheus({ rulesFile: RULES, targets: targets.map(({ address }) => address) });
  blocker = new pg.Client({ ...service.ownerPool.options });
  await blocker.connect();
});
afterAll(async () => {
  if (!hasPrometheus) return;
  await blocker.end();
  releaseConnections();
  for (const clean of cleanups) await clean();
  await prometheus.close();
  await service.close();
});

interface Fault {
  /** Begins it. */
  readonly provoke: () => Promise<unknown>;
  /** Repeated until the alert fires: a rate needs several. */
  readonly repeat?: () => Promise<unknown>;
}

let subscriber: TestTeam;
let userId: string;
const nothing = async () => {};

/** By an order. */
const emitEvent = async (of: TestTeam) =>
  placeOrder(service, of, { userId: await of.user(), step: 'ordered', markers: 1 });

/** A critical result of production that nobody acknowledges for a day. */
async function leaveCriticalResult(): Promise<void> {
  const ordered = await placeOrder(service, team, { userId: await team.user(), step: 'ordered' });
  const observations = ordered.tests.flatMap((test) => observationsOf(test, { flags: ['HH'] }));
  await inTenant(service.app, team.tenant, (work) =>
    receiveReport(work, reportOf(ordered, { observations }), { messageId: 'of a test' }),
  );
  await service.settle();
  service.clock.move(DAY);
}

/** Locks a timer and a log of events, as a transaction does that hangs. */
async function blockTimersAndEvents(): Promise<void> {
  const { teamId, environment } = team.tenant;
  const due = new Date(service.clock.now().getTime() + MINUTE);
  await blocker.query(
    `insert into timer (team_id, environment, job, key, due_at, due_wall, input)
     values ($1, $2, 'test.unknown_job', 'one', $3, $3, '{}')`,
    [teamId, environment, due],
  );
  await blocker.query('begin');
  await blocker.query(`select from timer where job = 'test.unknown_job' for update`);
  await blocker.query('select from event_log_head where team_id = $1 and environment = $2 for update', [
    teamId,
    environment,
  ]);
  await emitEvent(team);
  service.clock.move(5 * MINUTE);
}

const held: pg.PoolClient[] = [];
let isHolding = true;

/** Takes the connections of a pool, and waits for more. */
async function exhaustConnections(): Promise<void> {
  const { ownerPool } = service;
  while (ownerPool.waitingCount < 2)
    ownerPool.connect().then(
      (client) => void (isHolding ? held.push(client) : client.release()),
      () => {},
    );
}

function releaseConnections(): void {
  isHolding = false;
  for (const client of held.splice(0)) client.release();
}

function blockEventLoop(): void {
  const until = performance.now() + 0.7 * SECOND;
  while (performance.now() < until);
}

const FAULTS: Readonly<Record<string, Fault>> = {
  AliquotCriticalResultOverdue: { provoke: leaveCriticalResult },
  AliquotWebhooksFailing: {
    provoke: async () => {
      subscriber = await service.team('production');
      const { orgId, tenant } = subscriber;
      const path = `/v1/org/${orgId}/team/${tenant.teamId}/production/webhook`;
      // No name server knows it.
      const answer = await subscriber.management.post(path, { url: 'https://aliquot.invalid/hook' });
      expect(answer.status, answer.text).toBe(200);
    },
    repeat: () => emitEvent(subscriber),
  },
  AliquotDown: { provoke: () => other.stop() },
  AliquotDeadLetters: {
    provoke: () =>
      blocker.query(`
        select graphile_worker.add_job('test.dead_job', '{}', max_attempts => 1);
        update ${QUEUED_JOBS} set attempts = max_attempts where task_id =
          (select id from ${QUEUE_TASKS} where identifier = 'test.dead_job')`),
  },
  AliquotJobsDelayed: {
    provoke: () =>
      blocker.query(
        `select graphile_worker.add_job('test.late_job', '{}', run_at => now() - interval '1 hour')`,
      ),
  },
  AliquotServerErrors: {
    provoke: async () => {
      userId = await subscriber.user();
      await blocker.query('revoke select on health_insurance from aliquot_tenant');
    },
    repeat: async () => {
      const answer = await subscriber.get(`/v2/user/${userId}/insurance/latest`);
      expect(answer.status).toBe(500);
    },
  },
  AliquotEventLoopLag: { provoke: nothing, repeat: async () => blockEventLoop() },
  AliquotTimersOverdue: { provoke: blockTimersAndEvents },
  AliquotEventsNotPlaced: { provoke: nothing },
};

/** The other faults need connections themselves. */
const EXHAUSTED = {
  AliquotConnectionsExhausted: { provoke: exhaustConnections, repeat: exhaustConnections },
};

/** Repeats the faults until their alerts have fired; returns the alerts that have not. */
async function waitForAlerts(faults: Readonly<Record<string, Fault>>): Promise<string[]> {
  const fired = new Set<string>();
  await waitFor(async () => {
    for (const [name, { repeat }] of Object.entries(faults)) if (!fired.has(name)) await repeat?.();
    // The state of the queues is read again when this time has passed.
    service.clock.move(6 * SECOND);
    for (const name of await prometheus.firing()) fired.add(name);
    return Object.keys(faults).every((name) => fired.has(name));
  }, PATIENCE_MS);
  return Object.keys(faults).filter((name) => !fired.has(name));
}

/** What a skipped run says. */
const MISSING = hasPrometheus ? '' : ' (not installed: the alerts are tested by promtool and not provoked)';

describe.skipIf(!hasPrometheus)(`Prometheus${MISSING}`, { timeout: 2 * PATIENCE_MS }, () => {
  it('reaches a healthy service, for which no alert fires', async () => {
    const areUp = async () => [...(await prometheus.targets()).values()].every((health) => health === 'up');
    expect(await waitFor(areUp, PATIENCE_MS)).toBe(true);
    // Before the first scrape, the state of the queues is unknown.
    expect(await waitFor(async () => (await prometheus.firing()).length === 0, PATIENCE_MS)).toBe(true);
  });

  it('fires each alert of what it can see', async () => {
    for (const { provoke } of Object.values(FAULTS)) await provoke();
    expect(await waitForAlerts(FAULTS)).toEqual([]);
    await blocker.query('rollback');
  });

  it('fires when the connections are exhausted', async () => {
    await exhaustConnections();
    const silent = await waitForAlerts(EXHAUSTED);
    releaseConnections();
    expect(silent).toEqual([]);
  });

  it('fires when the state of the queues cannot be read', async () => {
    const isKnown = async () => !(await prometheus.firing()).includes('AliquotStateUnknown');
    expect(await waitFor(isKnown, PATIENCE_MS)).toBe(true);
    await blocker.query('begin');
    await blocker.query('lock table timer in access exclusive mode');
    const silent = await waitForAlerts({ AliquotStateUnknown: { provoke: nothing } });
    await blocker.query('rollback');
    expect(silent).toEqual([]);
  });

  it('was tested with every alert', async () => {
    const names = [...(await readFile(RULES, 'utf8')).matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    const provoked = [...Object.keys({ ...FAULTS, ...EXHAUSTED }), 'AliquotStateUnknown'];
    expect(provoked.toSorted()).toEqual(names.toSorted());
  });
});
