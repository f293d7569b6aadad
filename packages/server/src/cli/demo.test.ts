import { beforeAll, describe, expect, it } from 'vitest';
import { useTestService } from '../../test/service-hooks.ts';
import type { TestTeam } from '../../test/service.ts';
import { createDemoClient, type DemoClient } from './demo/client.ts';
import { fillClinic } from './demo/fill-clinic.ts';
import { DEMO_STATES } from './demo/plan-orders.ts';
import { publicStatus } from '../ordering/orders/status.ts';

const service = useTestService();
const PEOPLE = 5;
/** Two clinics are filled, with reports that are really read. */
const PATIENCE_MS = 180_000;
let url: string;
let clinic: TestTeam;
let interrupted: TestTeam;
let counts: Readonly<Record<string, number>>;

const fill = (team: TestTeam, client?: (calls: DemoClient) => DemoClient) => {
  const calls = createDemoClient({
    url,
    brand: 'service',
    teamKey: team.key,
    managementKey: team.managementKey,
  });
  return fillClinic({
    client: client?.(calls) ?? calls,
    orgId: team.orgId,
    teamId: team.tenant.teamId,
    seed: 'test',
    people: PEOPLE,
    again: false,
    now: () => service.clock.now(),
    report: () => {},
  });
};

/** A client that fails after some calls, as when the command is stopped. */
const failAfter =
  (calls: number) =>
  (client: DemoClient): DemoClient => {
    let left = calls;
    const count = () => {
      left -= 1;
      if (left < 0) throw new Error('stopped');
    };
    return {
      team: async (call) => (count(), client.team(call)),
      management: async (call) => (count(), client.management(call)),
    };
  };

beforeAll(async () => {
  url = await service.http.server.listen({ host: '127.0.0.1', port: 0 });
  [clinic, interrupted] = [await service.team(), await service.team()];
  counts = await fill(clinic);
  for (const calls of [3, 60, 120]) {
    const stopped = await fill(interrupted, failAfter(calls)).catch((error: Error) => error.message);
    if (stopped !== 'stopped') throw new Error('The run was not interrupted');
  }
  await fill(interrupted);
}, PATIENCE_MS);

const baseOf = (team: TestTeam) => `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox`;

interface OrderJson {
  id: string;
  passthrough: string | null;
  created_at: string;
  events: { status: string }[];
}
const ordersOf = async (team: TestTeam): Promise<OrderJson[]> =>
  (await team.get('/v3/orders?size=500')).json.orders;

describe('the demo', () => {
  it('has an order in every state of every collection method', async () => {
    const statuses = new Set((await ordersOf(clinic)).map(({ events }) => events.at(-1)?.status));
    const planned = DEMO_STATES.map(({ modality, step }) => publicStatus(modality, step));
    expect(planned.filter((status) => !statuses.has(status))).toEqual([]);
    expect(planned.length).toBeGreaterThan(50);
  });

  it('has a history of two years that ends now, and a clock that is that of the system', async () => {
    const dates = (await ordersOf(clinic)).map(({ created_at: at }) => at.slice(0, 7)).toSorted();
    expect(dates[0]).toMatch(/^2024-/);
    expect(dates.at(-1)).toBe('2026-02');
    const { now } = (await clinic.management.get(`${baseOf(clinic)}/clock`)).json;
    expect(new Date(now)).toEqual(service.clock.now());
  });

  it('has critical and unmatched results, reports in review, devices and endpoints that fail and recover', async () => {
    expect(counts).toMatchObject({ users: PEOPLE, 'people with devices': 1, 'webhook endpoints': 3 });
    expect((await clinic.get('/v3/critical_result')).json.data.length).toBeGreaterThan(0);
    expect((await clinic.get('/v3/unmatched_result')).json.data).toHaveLength(4);
    const { rows: jobs } = await service.ownerPool.query(
      'select status, count(*)::int as count from lab_report_job where team_id = $1 group by status order by status',
      [clinic.tenant.teamId],
    );
    expect(jobs).toContainEqual({ status: 'pending_review', count: 1 });
    const { data } = (await clinic.management.get(`${baseOf(clinic)}/webhook`)).json;
    const outcomes: Record<string, string> = {};
    for (const { id, description } of data) {
      const path = `${baseOf(clinic)}/webhook/${id}/attempt?limit=100`;
      const attempts = (await clinic.management.get(path)).json.data;
      outcomes[description] = [...new Set(attempts.map(({ status }: { status: string }) => status))]
        .toSorted()
        .join();
    }
    expect(outcomes).toEqual({
      'Demo: receives everything': 'success',
      'Demo: was down, and has recovered': 'failure,success',
      'Demo: is down': 'failure',
    });
  });

  it('has an appointment that is ahead for every order whose visit is scheduled', async () => {
    const scheduled = (await ordersOf(clinic)).filter(
      ({ events }) => events.at(-1)?.status.endsWith('.appointment_scheduled') === true,
    );
    const path = '/v1/appointments?status=confirmed&limit=200';
    const visits: { order_id: string; start_at: string }[] = (await clinic.get(path)).json.data;
    expect(visits.map(({ order_id: id }) => id).toSorted()).toEqual(scheduled.map(({ id }) => id).toSorted());
    expect(visits.filter(({ start_at: at }) => new Date(at) <= service.clock.now())).toEqual([]);
    expect(visits).toHaveLength(counts['booked visits'] ?? 0);
    expect(visits.length).toBeGreaterThanOrEqual(14);
  });

  it('is the same for the same seed, also where it was interrupted', async () => {
    expect(await describeClinic(interrupted)).toEqual(await describeClinic(clinic));
  });

  it('is made once, and not next to other users', async () => {
    const before = await ordersOf(clinic);
    expect(await fill(clinic)).toEqual({});
    expect(await ordersOf(clinic)).toHaveLength(before.length);
    const used = await service.team();
    await used.user('a patient');
    await expect(fill(used)).rejects.toThrow(/has users/);
    expect(await ordersOf(used)).toEqual([]);
  });
});

/** People, orders with their days and states, and values, without ids. */
async function describeClinic(team: TestTeam): Promise<unknown> {
  const { users } = (await team.get('/v2/user?limit=100')).json;
  const people = await Promise.all(
    users.map(async ({ user_id: id }: { user_id: string }) => {
      const { first_name, last_name, dob } = (await team.get(`/v2/user/${id}/info`)).json;
      return `${first_name} ${last_name} ${dob}`;
    }),
  );
  const orders = await Promise.all(
    (await ordersOf(team)).map(async ({ id, passthrough, events }) => {
      const status = events.at(-1)?.status;
      const isDone = status?.startsWith('completed.') === true;
      const results = isDone ? (await team.get(`/v3/order/${id}/result`)).json.results : [];
      const values = results.map((one: { slug: string; result: string }) => `${one.slug}=${one.result}`);
      return [passthrough, status, ...values].join(' ');
    }),
  );
  return { people: people.toSorted(), orders: orders.toSorted() };
}
