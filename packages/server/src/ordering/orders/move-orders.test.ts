import { describe, expect, it } from 'vitest';
import { order, physician, shipping } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import type { ApiResponse } from '../../../test/service.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { inTenant, readTenant } from '../../app.ts';
import { isoTimestamp, MINUTE } from '../../platform/clock.ts';
import { advanceOrder, advanceOrderThrough, amendOrder, getOrder } from './orders.ts';
import type { OrderModality, OrderStep } from './status.ts';
import { viewOrder } from './view.ts';

const service = useTestService();
const team = useTestTeam(service);

/** An order that was placed a minute ago; a test kit waits for its registration. */
async function place(method: OrderModality): Promise<ApiResponse['json']> {
  const userId = await team.user();
  const test = await findLabTestId(team, method);
  const placed = await (method === 'testkit'
    ? team.post('/v3/order/testkit', { user_id: userId, lab_test_id: test, shipping_details: shipping })
    : team.post('/v3/order', { ...order(userId, test), physician }));
  expect(placed.status, placed.text).toBe(200);
  service.clock.move(MINUTE);
  return placed.json.order;
}

const read = (id: string) => readTenant(service.app, team.tenant, (work) => getOrder(work, id));

interface OrderPathCase {
  readonly method: OrderModality;
  readonly passed: readonly OrderStep[];
  readonly to: OrderStep;
  /** Where the kit is in the end. */
  readonly leg: string;
}

// prettier-ignore
const paths: readonly OrderPathCase[] = [
  { method: 'walk_in_test',       leg: 'stock',    passed: [],                                                to: 'requisition_created' },
  { method: 'walk_in_test',       leg: 'stock',    passed: ['requisition_created'],                           to: 'sample_error' },
  { method: 'walk_in_test',       leg: 'stock',    passed: ['requisition_bypassed', 'appointment_scheduled'], to: 'completed' },
  { method: 'on_site_collection', leg: 'stock',    passed: ['requisition_created', 'draw_completed'],         to: 'completed' },
  { method: 'testkit',            leg: 'outbound', passed: ['awaiting_registration'],                         to: 'transit_customer' },
  { method: 'testkit',            leg: 'customer', passed: ['awaiting_registration', 'transit_customer', 'with_customer'], to: 'testkit_registered' },
];

describe.each(paths)('an order ($method) that moves to $to by $passed', ({ method, passed, to, leg }) => {
  it('is returned as it is stored', async () => {
    const { id } = await place(method);
    const before = await read(id);
    const people = { ...before.private, clinicalNotes: 'changed' };
    const changes = { registered_at: service.clock.now(), sample_id: `S-${id}`, private: people };
    const moved = await inTenant(service.app, team.tenant, (work) =>
      advanceOrderThrough(work, before, { passed, to, detail: 'sample_contaminated', changes }),
    );
    expect(moved).toEqual(await read(id));
    expect(moved).toMatchObject({
      step: to,
      status_detail: 'sample_contaminated',
      leg,
      sample_id: `S-${id}`,
    });
    expect(moved).toMatchObject({ private: people, updated_at: service.clock.now() });
    const added = moved.events.slice(before.events.length);
    expect(moved.events.slice(0, before.events.length)).toEqual(before.events);
    expect(added.map(({ step, status_detail: detail }) => [step, detail])).toEqual([
      ...passed.map((step) => [step, null]),
      [to, 'sample_contaminated'],
    ]);
    expect(added.map(({ created_at: at }) => at)).toEqual(added.map(() => service.clock.now()));
  });

  it('emits an event for each step, with the order as it was then', async () => {
    const { id } = await place(method);
    await inTenant(service.app, team.tenant, async (work) =>
      amendOrder(work, await getOrder(work, id), { waiting_reason: 'waits for the laboratory' }),
    );
    const endpoint = await team.endpoint({ filter_types: ['labtest.order.updated'] });
    service.clock.move(MINUTE);
    const before = await read(id);
    await inTenant(service.app, team.tenant, async (work) => {
      const people = { ...before.private, clinicalNotes: 'changed' };
      return advanceOrderThrough(work, await getOrder(work, id), {
        passed,
        to,
        detail: 'sample_contaminated',
        changes: { registered_at: work.now, private: people },
      });
    });
    await service.settle();
    const after = viewOrder(await read(id));
    const steps = [...passed, to];
    expect(before.waiting_reason).toBe('waits for the laboratory');
    expect(endpoint.received.map(({ body }) => body.data)).toEqual(
      steps.map((step, at) => {
        const events = after.events.slice(0, before.events.length + at + 1);
        return expect.objectContaining({
          id,
          user_id: before.user_id,
          events,
          last_event: events.at(-1),
          notes: null,
          clinical_notes: step === to ? 'changed' : before.private.clinicalNotes,
          updated_at: isoTimestamp(service.clock.now()),
          patient_details: after.patient_details,
          order_transaction: expect.objectContaining({
            orders: [{ ...after.order_transaction?.orders[0], low_level_status: step }],
          }),
        });
      }),
    );
    expect(endpoint.received.every(({ body }) => body['client_user_id'] === before.client_user_id)).toBe(
      true,
    );
  });
});

describe('a move', () => {
  it('leaves the other order of the transaction as it is', async () => {
    const old = await place('walk_in_test');
    const again = await team.post('/v3/order', {
      ...order(old.user_id, old.lab_test.id),
      recreate_from_order_id: old.id,
      update_reason: 'PATIENT_DETAILS',
    });
    service.clock.move(MINUTE);
    const before = await read(again.json.order.id);
    const moved = await inTenant(service.app, team.tenant, (work) =>
      advanceOrder(work, before, { to: 'requisition_created' }),
    );
    expect(moved).toEqual(await read(before.id));
    expect(moved.siblings).toMatchObject([
      { id: old.id, step: 'cancelled', step_at: before.created_at, updated_at: before.created_at },
      {
        id: before.id,
        step: 'requisition_created',
        step_at: service.clock.now(),
        updated_at: service.clock.now(),
      },
    ]);
  });

  it('of an order that another request moved is a 409, and stores no event', async () => {
    const { id } = await place('walk_in_test');
    const stale = await read(id);
    await inTenant(service.app, team.tenant, (work) =>
      advanceOrder(work, stale, { to: 'requisition_created' }),
    );
    const stored = await read(id);
    const again = (change: (work: Parameters<typeof amendOrder>[0]) => Promise<unknown>) =>
      expect(inTenant(service.app, team.tenant, change)).rejects.toMatchObject({
        kind: 'conflict',
        detail: 'The order was changed by another request; read it again',
      });
    await again((work) => advanceOrder(work, stale, { to: 'requisition_bypassed' }));
    await again((work) => amendOrder(work, stale, { sample_id: `S-${id}` }));
    expect(await read(id)).toEqual(stored);
  });

  it.each<[string, OrderStep[], OrderStep, string]>([
    ['its step does not allow', [], 'completed', 'ordered to completed'],
    [
      'a passed step does not allow',
      ['requisition_created'],
      'draw_completed',
      'requisition_created to draw_completed',
    ],
    ['leads to a passed step', ['partial_results'], 'completed', 'ordered to partial_results'],
  ])('that %s is refused', async (_what, passed, to, transition) => {
    const { id } = await place('walk_in_test');
    const before = await read(id);
    const moving = inTenant(service.app, team.tenant, (work) =>
      advanceOrderThrough(work, before, { passed, to }),
    );
    await expect(moving).rejects.toMatchObject({
      kind: 'conflict',
      detail: `Transition from ${transition} is not allowed`,
    });
    expect(await read(id)).toEqual(before);
  });

  it.each([true, false])('to partial results is emitted if the team wants that: %s', async (isWanted) => {
    const other = await service.team();
    await other.management.patch(`/v1/org/${other.orgId}/team/${other.tenant.teamId}`, {
      sandbox: { partial_webhooks_enabled: isWanted },
    });
    const test = await findLabTestId(other, 'walk_in_test');
    const placed = await other.post('/v3/order', { ...order(await other.user(), test), physician });
    expect(placed.status, placed.text).toBe(200);
    const endpoint = await other.endpoint({ filter_types: ['labtest.order.updated'] });
    await inTenant(service.app, other.tenant, async (work) =>
      advanceOrderThrough(work, await getOrder(work, placed.json.order.id), {
        passed: ['requisition_created', 'partial_results'],
        to: 'completed',
      }),
    );
    await service.settle();
    expect(endpoint.received.map(({ body }) => body.data['status'])).toEqual([
      'received',
      ...(isWanted ? ['sample_with_lab'] : []),
      'completed',
    ]);
  });
});

describe('a change without a move', () => {
  it('is returned as it is stored, and keeps what it does not name', async () => {
    const { id } = await place('walk_in_test');
    const before = await read(id);
    const amended = await inTenant(service.app, team.tenant, (work) =>
      amendOrder(work, before, { sample_id: `S-${id}` }),
    );
    const now = service.clock.now();
    const [sibling] = before.siblings;
    expect(amended).toEqual({
      ...before,
      sample_id: `S-${id}`,
      updated_at: now,
      siblings: [{ ...sibling, updated_at: now }],
    });
    const people = { ...before.private, clinicalNotes: 'changed' };
    const again = await inTenant(service.app, team.tenant, (work) =>
      amendOrder(work, amended, { private: people }),
    );
    expect(again).toEqual({ ...amended, private: people });
    expect(again).toEqual(await read(id));
  });
});
