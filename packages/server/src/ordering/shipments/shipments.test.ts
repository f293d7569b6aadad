import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { QUEUED_JOBS } from '../../../test/queue-tables.ts';
import {
  EASYPOST_KEY,
  EASYPOST_SECRET,
  openEasyPost,
  signTrackerEvent,
  type EasyPostStandIn,
  type TrackerEvent,
} from '../../../test/easypost.ts';
import { registration, shipping } from '../../../test/examples.ts';
import { createOrder, findLabTestId } from '../../../test/orders.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import type { CourierWebhook } from '../../adapters/courier/port.ts';
import { inTenant } from '../../app.ts';
import { DAY, HOUR } from '../../platform/clock.ts';
import { advanceOrder, getOrder } from '../orders/orders.ts';
import type { OrderStep } from '../orders/status.ts';

const PATH = '/v1/inbound/courier/easypost';

let standIn: EasyPostStandIn;
let service: TestService;
beforeAll(async () => {
  standIn = await openEasyPost();
  service = await openTestService({
    COURIER: 'easypost',
    EASYPOST_API_KEY: EASYPOST_KEY,
    EASYPOST_WEBHOOK_SECRET: EASYPOST_SECRET,
    EASYPOST_URL: standIn.url,
    KIT_SENDER: 'Kit house; 1 Warehouse Way; Oakland; CA; 94607; +15105550100',
  });
});
afterAll(async () => {
  await service.close();
  await standIn.close();
});
beforeEach(() => {
  standIn.failWith = 200;
});

/** The laboratory's own news, in its stead. */
const move = (team: TestTeam, id: string, ...steps: OrderStep[]) =>
  inTenant(service.app, team.tenant, async (work) => {
    let order = await getOrder(work, id);
    for (const to of steps) order = await advanceOrder(work, order, { to });
  });

/** A kit of production that has its labels and waits to be carried. */
async function labelled(): Promise<{ team: TestTeam; id: string; out: string; back: string }> {
  const team = await service.team('production');
  const id = await createOrder(team, 'testkit');
  // First it says that it waits for a physician, or an event more or less would be told by chance.
  await service.settle();
  await move(team, id, 'requisition_created');
  await service.settle();
  const shipment = (await team.get(`/v3/order/${id}`)).json.details.data.shipment;
  return { team, id, out: shipment.outbound_tracking_number, back: shipment.inbound_tracking_number };
}

/** A kit of production that has its labels and is to be registered by its sample id. */
async function registrable() {
  const team = await service.team('production');
  const userId = await team.user();
  const sent = await team.post('/v3/order/testkit', {
    user_id: userId,
    lab_test_id: await findLabTestId(team, 'testkit'),
    shipping_details: shipping,
  });
  const { id, sample_id: sampleId } = sent.json.order;
  await service.settle();
  const shipment = (await team.get(`/v3/order/${id}`)).json.details.data.shipment;
  const register = async () => {
    const answer = await team.post('/v3/order/testkit/register', registration(sampleId, userId));
    expect(answer.status).toBe(200);
  };
  return {
    team,
    id,
    register,
    out: shipment.outbound_tracking_number as string,
    back: shipment.inbound_tracking_number as string,
  };
}

const push = async ({ headers, body }: CourierWebhook, path = PATH) => {
  const answer = await service.http.server.inject({
    method: 'POST',
    url: path,
    headers: headers as Record<string, string>,
    payload: body,
  });
  return { status: answer.statusCode, json: answer.json() };
};

let minutes = 0;
/** Later than everything before, as a courier tells what happens. */
const soon = () => new Date(Date.UTC(2026, 2, 3) + (minutes += 1) * 60_000).toISOString().replace('.000', '');

const tell = async (number: string, status: string, more: Partial<TrackerEvent> = {}) => {
  const answer = await push(
    signTrackerEvent({ tracker: { tracking_code: number }, status, at: soon(), ...more }),
  );
  expect(answer).toEqual({ status: 200, json: { status: 'ok' } });
  await service.settle();
};

const stepsOf = async (team: TestTeam, id: string): Promise<string[]> =>
  (await team.get(`/v3/order/${id}`)).json.events.map(({ status }: { status: string }) =>
    status.split('.').at(-1),
  );

/** The jobs of a team that failed are tried at once, and not seconds later: the queue tries again later and later. */
const hurry = ({ tenant }: TestTeam) =>
  service.ownerPool.query(
    `update ${QUEUED_JOBS} set run_at = now()
     where run_at > now() and locked_at is null and payload->>'team_id' = $1`,
    [tenant.teamId],
  );

const outcomes = async (id: string): Promise<(string | null)[]> =>
  (
    await service.ownerPool.query(
      'select outcome from parcel_news where order_id = $1 order by at, received_at',
      [id],
    )
  ).rows.map(({ outcome }) => outcome);

describe('a kit with a real courier', () => {
  it('gets both labels once when it is ready to ship', async () => {
    const { team, id } = await labelled();
    const { data } = (await team.get(`/v3/order/${id}`)).json.details;
    expect(data.shipment).toEqual({
      id: expect.any(String),
      outbound_courier: 'usps',
      outbound_tracking_number: expect.stringMatching(/^94\d+$/),
      outbound_tracking_url: expect.stringMatching(/^https:\/\/track\.easypost\.com\//),
      inbound_courier: 'usps',
      inbound_tracking_number: expect.stringMatching(/^94\d+$/),
      inbound_tracking_url: expect.stringMatching(/^https:\/\/track\.easypost\.com\//),
      notes: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(data.shipment.outbound_tracking_number).not.toBe(data.shipment.inbound_tracking_number);
    const asked = standIn.asked.filter(({ reference }) => String(reference).startsWith(id));
    expect(asked.map(({ reference }) => reference)).toEqual([`${id}-outbound`, `${id}-inbound`]);
    expect(asked[1]).toMatchObject({
      from_address: { street1: '548 Market Street' },
      to_address: { street1: expect.any(String) },
    });
    expect(await stepsOf(team, id)).toEqual(['ordered', 'requisition_created']);
  });

  it('gets its labels from one of many concurrent purchases', async () => {
    const { handleOrderEvent: attendOrder } = await import('./handle-order-event.ts');
    const team = await service.team('production');
    const id = await createOrder(team, 'testkit');
    await service.settle();
    const { rows } = await service.ownerPool.query('select id from event where team_id = $1', [
      team.tenant.teamId,
    ]);
    await inTenant(service.app, team.tenant, async (work) => {
      await advanceOrder(work, await getOrder(work, id), { to: 'requisition_created' });
    });
    const attend = () => attendOrder.run(service.app, team.tenant, { event_id: rows[0].id });
    const ended = await Promise.allSettled([attend(), attend(), attend()]);
    expect(ended.some(({ status }) => status === 'fulfilled')).toBe(true);
    await expect
      .poll(async () => {
        await hurry(team);
        return (await team.get(`/v3/order/${id}`)).json.details.data.shipment;
      })
      .not.toBeNull();
    await service.settle();
    const asked = standIn.asked.filter(({ reference }) => String(reference).startsWith(id));
    expect(asked).toHaveLength(2);
  });

  it('gets its labels later when the courier cannot be reached', async () => {
    standIn.failWith = 503;
    const team = await service.team('production');
    const id = await createOrder(team, 'testkit');
    await move(team, id, 'requisition_created');
    await service.settle();
    const shipment = async () => (await team.get(`/v3/order/${id}`)).json.details.data.shipment;
    expect(await shipment()).toBeNull();
    standIn.failWith = 200;
    const shipmentAfterHurry = async () => {
      await hurry(team);
      return shipment();
    };
    await expect.poll(shipmentAfterHurry).not.toBeNull();
  });

  it('has a note while it waits for labels, and is retried after the queue gave up', async () => {
    standIn.failWith = 422;
    const team = await service.team('production');
    const id = await createOrder(team, 'testkit');
    await move(team, id, 'requisition_created');
    const read = async () => (await team.get(`/v3/order/${id}`)).json;
    await expect.poll(async () => (await read()).notes).toBe('The courier refused: Something failed.');
    // Between two tries, as if the one before had been the last of many.
    const stillTried = async () => {
      await service.ownerPool.query(
        `update ${QUEUED_JOBS} set attempts = max_attempts
        where attempts > 0 and locked_at is null and payload->>'team_id' = $1`,
        [team.tenant.teamId],
      );
      const { rows } = await service.ownerPool.query(
        `select from ${QUEUED_JOBS} where attempts < max_attempts and payload->>'team_id' = $1`,
        [team.tenant.teamId],
      );
      return rows.length;
    };
    await expect.poll(stillTried).toBe(0);
    standIn.failWith = 200;
    service.clock.move(DAY);
    await service.settle();
    expect(await read()).toMatchObject({
      notes: null,
      details: { data: { shipment: expect.objectContaining({ outbound_courier: 'usps' }) } },
    });
  });

  it('emits one event while it waits for labels, which triggers no extra retries', async () => {
    standIn.failWith = 422;
    const team = await service.team('production');
    const id = await createOrder(team, 'testkit');
    await service.settle();
    await move(team, id, 'requisition_created');
    const log = async (): Promise<{ id: string; body: { data: { notes: string | null } } }[]> => {
      const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/production/event`;
      return (await team.management.get(`${path}?event_type=labtest.order.updated`)).json.data;
    };
    const told = async () => (await log()).map(({ body }) => body.data.notes);
    const physician = 'The order has no physician, and the service has none configured (PHYSICIANS)';
    const refused = 'The courier refused: Something failed.';
    await expect.poll(told).toEqual([physician, null, refused]);
    const waiting = async (which: string) =>
      (
        await service.ownerPool.query(
          `select from ${QUEUED_JOBS} where payload->>'team_id' = $1 and ${which}`,
          [team.tenant.teamId],
        )
      ).rows.length;
    await expect.poll(() => waiting('attempts = 0 or locked_at is not null')).toBe(0);
    expect(await waiting('attempts > 0')).toBeGreaterThan(0);
    expect(await waiting(`payload::text like '%${(await log())[2]?.id}%'`)).toBe(0);
    standIn.failWith = 200;
    const toldAfterHurry = async () => {
      await hurry(team);
      return told();
    };
    await expect.poll(toldAfterHurry).toEqual([physician, null, refused, null]);
    expect((await team.get(`/v3/order/${id}`)).json.details.data.shipment).not.toBeNull();
  });

  it('follows the tracking updates through all steps', async () => {
    const { team, id, out, back } = await labelled();
    await tell(out, 'pre_transit');
    await tell(out, 'in_transit');
    await tell(out, 'out_for_delivery');
    await tell(out, 'delivered');
    await tell(back, 'in_transit');
    await tell(back, 'out_for_delivery');
    await tell(back, 'delivered');
    expect(await stepsOf(team, id)).toEqual([
      'ordered',
      'requisition_created',
      'transit_customer',
      'out_for_delivery',
      'with_customer',
      'transit_lab',
      'delivered_to_lab',
    ]);
  });

  it('emits an event for every step', async () => {
    const { team, id, out } = await labelled();
    await tell(out, 'delivered');
    const log = await team.management.get(
      `/v1/org/${team.orgId}/team/${team.tenant.teamId}/production/event`,
    );
    const told = log.json.data.map(({ event_type: type }: { event_type: string }) => type);
    expect(told.filter((type: string) => type.startsWith('labtest'))).toEqual([
      'labtest.order.created',
      'labtest.order.updated',
      'labtest.order.updated',
      'labtest.order.updated',
      'labtest.order.updated',
      'labtest.order.updated',
    ]);
    expect(await stepsOf(team, id)).toHaveLength(4);
  });

  it('has a note while the parcel has a problem', async () => {
    const { team, id, out } = await labelled();
    const notes = async () => (await team.get(`/v3/order/${id}`)).json.details.data.shipment.notes;
    await tell(out, 'in_transit', { detail: 'damaged' });
    expect(await notes()).toBe('outbound: in_transit (damaged)');
    await tell(out, 'in_transit', { detail: 'departed_facility' });
    expect(await notes()).toBeNull();
    await tell(out, 'return_to_sender', { detail: 'refused' });
    expect(await notes()).toBe('outbound: return_to_sender (refused)');
    expect((await stepsOf(team, id)).slice(2)).toEqual([
      'transit_customer',
      'problem_in_transit_customer',
      'transit_customer',
      'failure_to_deliver_to_customer',
    ]);
  });
});

describe('an update', () => {
  it('that arrives several times is applied once', async () => {
    const { team, id, out } = await labelled();
    const one = signTrackerEvent({ tracker: { tracking_code: out }, status: 'in_transit', at: soon() });
    const answers = await Promise.all([push(one), push(one), push(one), push(one)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await service.settle();
    await push(one);
    await service.settle();
    expect(await stepsOf(team, id)).toEqual(['ordered', 'requisition_created', 'transit_customer']);
    expect(await outcomes(id)).toEqual(['taken']);
  });

  it('that is outdated changes nothing', async () => {
    const { team, id, out } = await labelled();
    const earlier = soon();
    await tell(out, 'delivered');
    await tell(out, 'in_transit', { at: earlier });
    await tell(out, 'return_to_sender', { at: earlier });
    expect((await stepsOf(team, id)).at(-1)).toBe('with_customer');
    expect((await outcomes(id)).toSorted()).toEqual(['outdated', 'outdated', 'taken']);
  });

  it('that the state machine does not allow is marked as processed', async () => {
    const { team, id, out, back } = await labelled();
    await tell(out, 'delivered');
    await tell(back, 'delivered');
    await tell(out, 'failure');
    expect((await stepsOf(team, id)).at(-1)).toBe('delivered_to_lab');
    expect((await outcomes(id)).at(-1)).toBe('not_allowed');
  });

  it('in shuffled order leads to the same final step', async () => {
    const { team, id, out } = await labelled();
    const pushes = ['pre_transit', 'in_transit', 'in_transit', 'out_for_delivery', 'delivered'].map(
      (status) => signTrackerEvent({ tracker: { tracking_code: out }, status, at: soon() }),
    );
    const [announced, first, second, last, delivered] = pushes;
    const shuffled = [last, first, delivered, announced, second].flatMap((one) => one ?? []);
    await Promise.all(shuffled.map((one) => push(one)));
    await service.settle();
    expect((await stepsOf(team, id)).at(-1)).toBe('with_customer');
  });

  it('for an unknown parcel is stored and acknowledged', async () => {
    await tell('94000000000000000000', 'delivered', { eventId: 'evt_unknown' });
    await tell('94000000000000000000', 'delivered', { eventId: 'evt_unknown' });
    const { rows } = await service.ownerPool.query(
      "select status from courier_inbox where news_id = 'evt_unknown'",
    );
    expect(rows).toEqual([{ status: 'delivered' }]);
  });

  it('that arrived before the label is applied with it', async () => {
    const team = await service.team('production');
    const id = await createOrder(team, 'testkit');
    const label = await service.app.couriers.production?.buyLabel({
      parcelId: `${id}/outbound`,
      leg: 'outbound',
      from: null,
      to: {
        name: 'Ada',
        street: '548 Market Street',
        secondLine: null,
        city: 'San Francisco',
        state: 'CA',
        zip: '94104',
        country: 'US',
        phone: null,
      },
    });
    await tell(label?.trackingNumber ?? '', 'in_transit', {
      tracker: { tracking_code: label?.trackingNumber ?? '', id: label?.trackerId ?? '' },
    });
    await move(team, id, 'requisition_created');
    await service.settle();
    expect((await stepsOf(team, id)).at(-1)).toBe('transit_customer');
    const { rows } = await service.ownerPool.query('select 1 from courier_inbox where tracking_number = $1', [
      label?.trackingNumber,
    ]);
    expect(rows).toEqual([]);
  });

  it('waits for the registration of its kit', async () => {
    const { team, id, out, back, register } = await registrable();
    await tell(out, 'delivered');
    await tell(back, 'in_transit');
    expect((await stepsOf(team, id)).at(-1)).toBe('with_customer');
    await register();
    await move(team, id, 'requisition_created');
    await service.settle();
    expect((await stepsOf(team, id)).slice(-3)).toEqual([
      'testkit_registered',
      'requisition_created',
      'transit_lab',
    ]);
  });

  it('for the return of an unregistered kit leaves a note until it is registered', async () => {
    const { team, id, back, register } = await registrable();
    const notes = async () => (await team.get(`/v3/order/${id}`)).json.notes;
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/production/event`;
    const told = async (): Promise<string[]> =>
      (await team.management.get(`${path}?event_type=labtest.order.updated`)).json.data
        .map(({ body }: { body: { data: { notes: string | null } } }) => body.data.notes)
        .filter((said: string | null) => said !== null);
    await tell(back, 'in_transit');
    const waits = 'The kit is on its way back to the laboratory, but it is not registered';
    expect(await notes()).toBe(waits);
    await tell(back, 'out_for_delivery');
    await tell(back, 'delivered');
    const there = 'The kit is at the laboratory, but it is not registered';
    expect(await told()).toEqual([waits, there]);
    await register();
    await service.settle();
    expect(await notes()).not.toBe(there);
    expect((await stepsOf(team, id)).slice(-2)).toEqual(['with_customer', 'testkit_registered']);
  });

  it('that waits is kept when an update without effect arrives', async () => {
    const { team, id, out, back, register } = await registrable();
    await tell(out, 'delivered');
    await tell(back, 'delivered');
    await tell(back, 'unknown');
    await register();
    await move(team, id, 'requisition_created');
    await service.settle();
    expect((await stepsOf(team, id)).slice(-2)).toEqual(['transit_lab', 'delivered_to_lab']);
  });

  it.each(['before', 'after'])(
    'of the way back proves that a kit registered %s it arrived, and waits until the laboratory is asked',
    async (when) => {
      const { team, id, out, back, register } = await registrable();
      await tell(out, 'in_transit');
      if (when === 'before') await register();
      await tell(back, 'in_transit');
      if (when === 'after') await register();
      await service.settle();
      const arrived = ['transit_customer', 'with_customer', 'testkit_registered'];
      expect((await stepsOf(team, id)).slice(-3)).toEqual(arrived);
      await move(team, id, 'requisition_created');
      await service.settle();
      expect((await stepsOf(team, id)).slice(-2)).toEqual(['requisition_created', 'transit_lab']);
    },
  );

  it('moves only the order of the team that owns the parcel', async () => {
    const one = await labelled();
    const other = await labelled();
    await tell(one.out, 'in_transit');
    expect((await stepsOf(one.team, one.id)).at(-1)).toBe('transit_customer');
    expect((await stepsOf(other.team, other.id)).at(-1)).toBe('requisition_created');
  });

  it('does not match a sandbox kit, which has the simulated courier', async () => {
    const team = await service.team();
    const id = await createOrder(team, 'testkit');
    await team.post(`/v3/order/${id}/test?final_status=transit_customer`);
    const { shipment } = (await team.get(`/v3/order/${id}`)).json.details.data;
    await tell(shipment.outbound_tracking_number, 'delivered');
    expect((await stepsOf(team, id)).at(-1)).toBe('transit_customer');
  });
});

describe('a push', () => {
  let elsewhere: TestService;
  beforeAll(async () => {
    elsewhere = await openTestService();
  });
  afterAll(() => elsewhere.close());

  const event = (eventId: string) =>
    signTrackerEvent({ tracker: { tracking_code: '94009' }, status: 'delivered', at: soon(), eventId });

  it('is rejected without a valid signature, and stores nothing', async () => {
    const right = event('evt_forged');
    const refused = { status: 401, json: { detail: 'The signature is missing or wrong' } };
    expect(await push({ ...right, headers: { 'content-type': 'application/json' } })).toEqual(refused);
    expect(
      await push(
        signTrackerEvent(
          { tracker: { tracking_code: '94009' }, status: 'delivered', at: soon() },
          'another secret',
        ),
      ),
    ).toEqual(refused);
    expect(await push({ ...right, body: Buffer.concat([right.body, Buffer.from('\n')]) })).toEqual(refused);
    const { rows } = await service.ownerPool.query(
      "select 1 from courier_inbox where news_id = 'evt_forged'",
    );
    expect(rows).toEqual([]);
  });

  it('is accepted with any media type and with a trailing slash', async () => {
    const right = event('evt_of_another_type');
    expect(
      await push({ ...right, headers: { ...right.headers, 'content-type': 'text/plain' } }, `${PATH}/`),
    ).toMatchObject({ status: 200 });
  });

  it('of more than a megabyte is refused', async () => {
    const { status } = await push({
      headers: { 'content-type': 'application/json' },
      body: Buffer.alloc(1024 * 1024 + 1, 32),
    });
    expect(status).toBe(413);
  });

  it('is a 404 if EasyPost is not the courier', async () => {
    const { headers, body } = event('evt_elsewhere');
    const answer = await elsewhere.http.server.inject({
      method: 'POST',
      url: PATH,
      headers: headers as Record<string, string>,
      payload: body,
    });
    expect([answer.statusCode, answer.json()]).toEqual([404, { detail: 'Courier not found' }]);
  });
});

describe('a tracked parcel', () => {
  const wait = async (milliseconds: number) => {
    service.clock.move(milliseconds);
    service.app.notifier.notify('timers');
    await service.settle();
  };

  it('is polled once a day, in case pushed updates were lost', async () => {
    const { team, id, out } = await labelled();
    standIn.trackerStatuses.set(out, {
      status: 'in_transit',
      status_detail: 'departed_facility',
      updated_at: soon(),
    });
    await wait(DAY + HOUR);
    expect((await stepsOf(team, id)).at(-1)).toBe('transit_customer');
  });

  it('is polled again a day later if the courier cannot be reached', async () => {
    const { team, id, out, back } = await labelled();
    await tell(out, 'delivered');
    standIn.failWith = 503;
    await wait(DAY + HOUR);
    expect((await stepsOf(team, id)).at(-1)).toBe('with_customer');
    standIn.failWith = 200;
    standIn.trackerStatuses.set(back, {
      status: 'delivered',
      status_detail: 'arrived_at_destination',
      updated_at: soon(),
    });
    await wait(DAY);
    expect((await stepsOf(team, id)).at(-1)).toBe('delivered_to_lab');
  });

  it('is erased with its user', async () => {
    const { team, id } = await labelled();
    const userId = (await team.get(`/v3/order/${id}`)).json.user_id;
    await team.delete(`/v2/user/${userId}`);
    await wait(8 * DAY);
    const { rows } = await service.ownerPool.query('select 1 from parcel where order_id = $1', [id]);
    expect(rows).toEqual([]);
  });
});
