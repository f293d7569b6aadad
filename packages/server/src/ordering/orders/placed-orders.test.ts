import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { order, physician, registration, shipping } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import type { ApiResponse } from '../../../test/service.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { inTenant, readTenant } from '../../app.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { getUser } from '../../users/users/users.ts';
import { getLabTest } from '../catalog/catalog.ts';
import { insertOrder, unknownPatient } from './insert-order.ts';
import { advanceOrder, getOrder, replaceOrder } from './orders.ts';
import type { OrderModality } from './status.ts';

const service = useTestService();
const team = useTestTeam(service);

// prettier-ignore
const shipment = {
  id: randomUUID(), created_at: isoTimestamp(new Date(0)), updated_at: isoTimestamp(new Date(0)), notes: 'a "word"',
  outbound_tracking_number: null, outbound_tracking_url: null, outbound_courier: 'usps',
  inbound_tracking_number: null, inbound_tracking_url: null, inbound_courier: null,
};

const read = (id: string) => readTenant(service.app, team.tenant, (work) => getOrder(work, id));

describe('a placed order', () => {
  const placement = async (userId: string, method: OrderModality, row: object = {}) => {
    const labTestId = await findLabTestId(team, method);
    return inTenant(service.app, team.tenant, async (work) => {
      const [user, test] = [await getUser(work, userId), await getLabTest(work, labTestId)];
      const people = { ...unknownPatient, clinicalNotes: 'fasting' };
      return {
        test,
        clientUserId: user.clientUserId,
        people,
        row: { user_id: userId, registrable: true, ...row },
      };
    });
  };

  const rows: [string, OrderModality, object][] = [
    ['nothing more', 'testkit', {}],
    [
      'a physician',
      'walk_in_test',
      { physician: JSON.stringify({ first_name: 'Mary', last_name: 'Putnam', npi: '1' }) },
    ],
    ['a shipment', 'testkit', { shipment: JSON.stringify(shipment) }],
    [
      'every column',
      'at_home_phlebotomy',
      {
        registrable: false,
        registered_at: new Date('2026-01-02T03:04:05.678Z'),
        sample_id: 'S-2',
        icd_codes: ['E11.9'],
        activate_by: '2027-01-02',
        passthrough: 'p',
        abn_due: true,
        interpretation: 'critical',
        has_missing_results: true,
        sms_enabled: false,
        waiting_reason: 'waits',
        priority: true,
        leg: 'customer',
      },
    ],
  ];
  it.each(rows)('with %s is returned as it is stored', async (_what, method, row) => {
    const placing = await placement(await team.user(), method, row);
    const placed = await inTenant(service.app, team.tenant, (work) => insertOrder(work, placing));
    const stored = await read(placed.id);
    expect(placed).toMatchObject(stored);
    expect(stored).toMatchObject({
      step: 'ordered',
      created_at: service.clock.now(),
      updated_at: service.clock.now(),
    });
    expect(stored.events).toEqual([
      { id: expect.any(Number), step: 'ordered', status_detail: null, created_at: service.clock.now() },
    ]);
  });

  it('that replaces another is returned with it, and both are as they are stored', async () => {
    const userId = await team.user();
    const { id } = (await team.post('/v3/order', order(userId, await findLabTestId(team, 'walk_in_test'))))
      .json.order;
    const placing = await placement(userId, 'walk_in_test');
    const { ended, next } = await inTenant(service.app, team.tenant, async (work) => {
      const old = await getOrder(work, id);
      const row = { ...placing.row, parent_id: old.id, transaction_id: old.transaction_id };
      return replaceOrder(work, old, {
        move: { to: 'cancelled', detail: 'fulfillment_error' },
        placing: { ...placing, row: { ...row, origin: 'recreation' as const } },
      });
    });
    expect(ended).toEqual(await read(id));
    expect(next).toMatchObject(await read(next.id));
    expect(next.siblings.map((each) => [each.id, each.parent_id, each.step])).toEqual([
      [id, null, 'cancelled'],
      [next.id, id, 'ordered'],
    ]);
    expect(ended.status_detail).toBe('fulfillment_error');
  });
});

describe('a kit that is registered', () => {
  const kit = async (): Promise<ApiResponse['json']> => {
    const body = {
      user_id: await team.user(),
      lab_test_id: await findLabTestId(team, 'testkit'),
      shipping_details: shipping,
    };
    return (await team.post('/v3/order/testkit', body)).json.order;
  };
  const register = (sampleId: string, change: object = {}) =>
    team.post('/v3/order/testkit/register', { ...registration(sampleId), ...change });

  it.each(['transit_customer', 'problem_in_transit_customer', 'out_for_delivery'] as const)(
    'at %s stays there, and is registered',
    async (step) => {
      const { id, sample_id: sampleId, user_id: userId } = await kit();
      await team.post(`/v3/order/${id}/test?final_status=transit_customer`);
      if (step !== 'transit_customer')
        await inTenant(service.app, team.tenant, async (work) =>
          advanceOrder(work, await getOrder(work, id), { to: step }),
        );
      const before = await read(id);
      const answer = await register(sampleId, { user_id: userId });
      expect([answer.status, answer.json.order?.last_event.status]).toEqual([
        200,
        `collecting_sample.testkit.${step}`,
      ]);
      const after = await read(id);
      expect(after.registered_at).toEqual(service.clock.now());
      expect(after.events).toEqual(before.events);
      expect(after.private).toMatchObject({
        ...before.private,
        patient: { last_name: 'Lovelace' },
        address: {},
        consents: [{}],
      });
    },
  );

  it('has its physician only if the registration names one', async () => {
    const [one, two] = [await kit(), await kit()];
    const named = await register(one.sample_id, { user_id: one.user_id });
    expect(named.json.order.physician).toMatchObject({ npi: physician.npi });
    const plain = await register(two.sample_id, { user_id: two.user_id, physician: undefined });
    expect([plain.status, plain.json.order.physician]).toEqual([200, null]);
  });

  it('belongs to the user with the e-mail address of the patient, if the registration names none', async () => {
    const email = 'grace@example.com';
    const grace = await team.user();
    const named = await team.patch(`/v2/user/${grace}/info`, {
      ...registration('').patient_details,
      phone_number: '+14155550132',
      gender: 'female',
      email,
      address: { ...registration('').patient_address, street: '1 Main' },
    });
    expect(named.status, named.text).toBe(200);
    const details = { ...registration('').patient_details, email };
    const { id, sample_id: sampleId } = await kit();
    for (const sample of [sampleId, 'HANDED-3']) {
      const answer = await register(sample, { patient_details: details });
      expect([answer.status, answer.json.order?.user_id]).toEqual([200, grace]);
      expect(answer.json.order.id === id).toBe(sample === sampleId);
    }
  });

  it('needs a user of the team, if it was handed out in person', async () => {
    const stranger = { ...registration('HANDED-1').patient_details, email: 'nobody@example.com' };
    expect(await register('HANDED-1', { patient_details: stranger })).toMatchObject({
      status: 422,
      json: { detail: [{ loc: ['body', 'user_id'] }] },
    });
    const userId = await team.user();
    const answer = await register('HANDED-1', { user_id: userId });
    expect(answer.status, answer.text).toBe(200);
    const stored = await read(answer.json.order.id);
    expect(stored).toMatchObject({
      user_id: userId,
      registrable: true,
      sample_id: 'HANDED-1',
      leg: 'customer',
    });
    expect(stored.events.map(({ step }) => step)).toEqual([
      'ordered',
      'awaiting_registration',
      'testkit_registered',
    ]);
  });

  it('is not found in production, if its sample id is unknown', async () => {
    const production = await service.team('production');
    const answer = await production.post('/v3/order/testkit/register', {
      ...registration('HANDED-2', await production.user()),
    });
    expect([answer.status, answer.json.detail]).toEqual([404, 'Test kit not found']);
  });
});

describe('an order that does not exist', () => {
  const nowhere = '01900000-0000-7000-8000-000000000000';
  it('is a 404, also for a change', async () => {
    const answers = await Promise.all([
      team.get(`/v3/order/${nowhere}`),
      team.post(`/v3/order/${nowhere}/cancel`),
      team.post('/v3/order', {
        ...order(await team.user(), await findLabTestId(team, 'walk_in_test')),
        recreate_from_order_id: nowhere,
        update_reason: 'PATIENT_DETAILS',
      }),
    ]);
    expect(answers.map(({ status, json }) => [status, json.detail])).toEqual(
      answers.map(() => [404, 'Order not found']),
    );
  });
});
