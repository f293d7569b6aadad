import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { address, order, registration, shipping } from '../../../test/examples.ts';
import { createOrder, findLabTestId } from '../../../test/orders.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import type { LabNetwork, Requisition } from '../../adapters/lab-network/port.ts';
import { inTenant } from '../../app.ts';
import { DAY, HOUR, MINUTE } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { advanceOrder, getOrder } from './orders.ts';
import { requestRequisition } from './request-requisition.ts';
import type { OrderStep } from './status.ts';

const physicians = [
  { first_name: 'Elizabeth', last_name: 'Blackwell', npi: '1234567893', licensed_states: ['NY', 'NJ'] },
  { first_name: 'Mary', last_name: 'Putnam', npi: '1003000126', licensed_states: ['CA'] },
];

const MIGRATIONS = new URL('../../../migrations/', import.meta.url);

/** A laboratory outside of the house: it writes down what it is asked, and can be out of order. */
interface RecordingLaboratory extends LabNetwork {
  asked: Requisition[];
  withdrawn: string[];
  /** What happens while it is being asked. */
  meanwhile: () => Promise<void>;
}

const openLaboratory = (): RecordingLaboratory => {
  const laboratory: RecordingLaboratory = {
    asked: [],
    withdrawn: [],
    meanwhile: async () => {},
    requestTests: async (requisition) => {
      laboratory.asked.push(requisition);
      await laboratory.meanwhile();
      return { sampleId: `S-${requisition.orderId.slice(-12)}` };
    },
    cancelTests: async ({ orderId }) => void laboratory.withdrawn.push(orderId),
    reports: async () => [],
  };
  return laboratory;
};

/** An event as the log has it. */
interface DeliveredNotes {
  body: { event_type: string; data: { notes: string | null } };
}

let team: TestTeam;
let laboratory: RecordingLaboratory;
const service = useTestService({ PHYSICIANS: JSON.stringify(physicians) });
beforeEach(async () => {
  team = await service.team('production');
  laboratory = openLaboratory();
  connect(laboratory);
});

const connect = (production: LabNetwork | undefined) =>
  Object.assign(service.app, { labNetworks: { ...service.app.labNetworks, production } });

const place = (change: object = {}, { of = team, method = 'walk_in_test' } = {}): Promise<string> =>
  createOrder(of, method, change);

const read = async (id: string, of = team) => (await of.get(`/v3/order/${id}`)).json;
const stepsOf = async (id: string, of = team) =>
  (await read(id, of)).events.map(({ status }: { status: string }) => status.split('.')[2]);

async function pass(milliseconds: number): Promise<void> {
  service.clock.move(milliseconds);
  service.app.notifier.notify('timers');
  await service.settle();
}

const move = (id: string, to: OrderStep) =>
  inTenant(service.app, team.tenant, async (work) => advanceOrder(work, await getOrder(work, id), { to }));

describe('an order in production', () => {
  it('gets its requisition, its sample id and the physician of its state', async () => {
    const id = await place();
    await service.settle();
    expect(await read(id)).toMatchObject({
      sample_id: `S-${id.slice(-12)}`,
      last_event: { status: 'received.walk_in_test.requisition_created' },
    });
    expect(laboratory.asked).toMatchObject([
      { orderId: id, physician: { firstName: 'Mary', lastName: 'Putnam', npi: '1003000126' } },
    ]);
    const { rows } = await service.ownerPool.query(
      "select event_type from event where team_id = $1 and event_type like 'labtest.%' order by position",
      [team.tenant.teamId],
    );
    expect(rows.map(({ event_type: type }) => type)).toEqual([
      'labtest.order.created',
      'labtest.order.updated',
    ]);
  });

  it('uses the physician on the order', async () => {
    await place({ physician: { first_name: 'Rebecca', last_name: 'Crumpler', npi: '1234567893' } });
    await service.settle();
    expect(laboratory.asked[0]?.physician?.lastName).toBe('Crumpler');
  });

  it('waits for a laboratory network, with a note', async () => {
    connect(undefined);
    const id = await place();
    await service.settle();
    expect(await read(id)).toMatchObject({
      notes: 'No laboratory network is connected in production',
      last_event: { status: 'received.walk_in_test.ordered' },
    });
    await pass(MINUTE);
    connect(laboratory);
    await pass(5 * MINUTE);
    expect(await read(id)).toMatchObject({
      notes: null,
      last_event: { status: 'received.walk_in_test.requisition_created' },
    });
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/production/event?event_type=labtest.*`;
    const { data: told } = (await team.management.get(path)).json;
    expect(told.map(({ body }: DeliveredNotes) => [body.event_type, body.data.notes])).toEqual([
      ['labtest.order.created', null],
      ['labtest.order.updated', 'No laboratory network is connected in production'],
      ['labtest.order.updated', null],
    ]);
  });

  it('sends each diagnosis once, in the notation of the classification', async () => {
    await place({ icd_codes: [' e119', 'E11.9', 'Z794', 'to be said'] });
    await service.settle();
    expect(laboratory.asked[0]?.icdCodes).toEqual(['E11.9', 'Z79.4', 'to be said']);
  });

  it('waits for a physician licensed in the patient’s state', async () => {
    const id = await place({ patient_address: { ...address, state: 'TX', zip: '73301' } });
    await service.settle();
    expect((await read(id)).notes).toBe("No physician of the service is licensed in the patient's state");
    expect(laboratory.asked).toEqual([]);
  });

  it('waits if the service has no physician, with a note', async () => {
    const known = service.app.config;
    Object.assign(service.app, { config: { ...known, PHYSICIANS: [] } });
    const id = await place();
    await service.settle();
    Object.assign(service.app, { config: known });
    expect((await read(id)).notes).toBe(
      'The order has no physician, and the service has none configured (PHYSICIANS)',
    );
    expect(laboratory.asked).toEqual([]);
    await team.post(`/v3/order/${id}/cancel`);
  });

  it('retries with growing delays until the laboratory answers', async () => {
    let failures = 4;
    laboratory.meanwhile = async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('The line is down');
    };
    const id = await place();
    await service.settle();
    expect((await read(id)).notes).toBe('The laboratory network did not accept the requisition');
    for (const [wait, asked] of [
      [MINUTE - 1, 1],
      [1, 2],
      [MINUTE, 2],
      [4 * MINUTE, 3],
      [30 * MINUTE, 4],
      [2 * HOUR, 5],
      [7 * DAY, 5],
    ] as const) {
      await pass(wait);
      expect(laboratory.asked).toHaveLength(asked);
    }
    expect(await stepsOf(id)).toEqual(['ordered', 'requisition_created']);
    expect(new Set(laboratory.asked.map(({ orderId }) => orderId))).toEqual(new Set([id]));
  });

  it('gets one requisition from concurrent checks', async () => {
    connect(undefined);
    const id = await place();
    await service.settle();
    connect(laboratory);
    const input = { order_id: id, tries: 0 };
    await Promise.all([1, 2, 3, 4].map(() => requestRequisition.run(service.app, team.tenant, input)));
    await requestRequisition.run(service.app, team.tenant, input);
    expect(await stepsOf(id)).toEqual(['ordered', 'requisition_created']);
  });

  it('continues after its user was deleted and restored', async () => {
    connect(undefined);
    const userId = await team.user();
    const id = (await team.post('/v3/order', order(userId, await findLabTestId(team, 'walk_in_test')))).json
      .order.id;
    await service.settle();
    await team.delete(`/v2/user/${userId}`);
    connect(laboratory);
    await pass(MINUTE);
    expect(laboratory.asked).toEqual([]);
    await team.post(`/v2/user/undo_delete?user_id=${userId}`);
    await pass(6 * HOUR);
    expect(await stepsOf(id)).toEqual(['ordered', 'requisition_created']);
  });
});

it('withdraws the requisition of a user who is erased during the request, with retries', async () => {
  const userId = await team.user();
  // The laboratory may be asked before the order's answer is back.
  laboratory.meanwhile = async () => {
    await service.ownerPool.query('delete from app_user where id = $1', [userId]);
  };
  const { cancelTests } = laboratory;
  let failures = 2;
  laboratory.cancelTests = async (requisition) => {
    failures -= 1;
    if (failures >= 0) throw new Error('The line is dead');
    await cancelTests(requisition);
  };
  const placed = await team.post('/v3/order', order(userId, await findLabTestId(team, 'walk_in_test')));
  await service.settle();
  expect([laboratory.asked.length, laboratory.withdrawn]).toEqual([1, []]);
  await pass(MINUTE);
  await pass(5 * MINUTE);
  expect(laboratory.withdrawn).toEqual([placed.json.order.id]);
  await pass(DAY);
  expect([laboratory.asked.length, laboratory.withdrawn.length]).toEqual([1, 1]);
});

describe('a cancellation', () => {
  const cancelled = 'cancelled.walk_in_test.cancelled';

  /** An order that is cancelled, and of which the laboratory has heard so, while it is still being asked for it. */
  async function cancelledWhileAsked(andThen = () => {}): Promise<string> {
    connect(undefined);
    const id = await place();
    await service.settle();
    laboratory.meanwhile = async () => {
      await team.post(`/v3/order/${id}/cancel`);
      await expect.poll(() => laboratory.withdrawn).toContain(id);
      laboratory.withdrawn = [];
      andThen();
    };
    connect(laboratory);
    return id;
  }

  it('withdraws the requisition', async () => {
    const id = await place();
    await service.settle();
    await team.post(`/v3/order/${id}/cancel`);
    await service.settle();
    expect(laboratory.withdrawn).toContain(id);
  });

  it('during the request wins, and the requisition is withdrawn', async () => {
    let id = '';
    laboratory.meanwhile = async () => void (await team.post(`/v3/order/${id}/cancel`));
    connect(undefined);
    id = await place();
    await service.settle();
    connect(laboratory);
    await pass(MINUTE);
    expect(await stepsOf(id)).toEqual(['ordered', 'cancelled']);
    expect(laboratory.asked).toHaveLength(1);
    expect(laboratory.withdrawn.at(-1)).toBe(id);
  });

  it('that reached the laboratory before the order is sent again', async () => {
    const { cancelTests } = laboratory;
    let failures = 2;
    const id = await cancelledWhileAsked(() => {
      laboratory.cancelTests = async (requisition) => {
        failures -= 1;
        if (failures >= 0) throw new DomainError('unavailable', 'The line is down');
        await cancelTests(requisition);
      };
    });
    await pass(MINUTE);
    expect((await read(id)).notes).toBe('The line is down');
    await pass(MINUTE);
    expect(laboratory.withdrawn).toEqual([]);
    await pass(5 * MINUTE);
    expect(laboratory.withdrawn).toEqual([id]);
    expect(await read(id)).toMatchObject({ notes: null, last_event: { status: cancelled } });
  });

  it('is sent after the request, even if its outcome is unknown', async () => {
    const id = await cancelledWhileAsked(() => {
      throw new DomainError('unavailable', 'The laboratory did not answer in time');
    });
    await pass(MINUTE);
    expect(laboratory.withdrawn).toEqual([id]);
    expect(await read(id)).toMatchObject({ notes: null, last_event: { status: cancelled } });
  });

  it('is sent if the process died between request and write', async () => {
    connect(undefined);
    const id = await place();
    await service.settle();
    await team.post(`/v3/order/${id}/cancel`);
    await service.settle();
    connect(laboratory);
    // The queue gives the job of the dead process to another one.
    await requestRequisition.run(service.app, team.tenant, { order_id: id, tries: 0 });
    expect([laboratory.asked, laboratory.withdrawn]).toEqual([[], [id]]);
  });
});

describe('a scheduled order', () => {
  const day = (days: number) =>
    new Date(service.clock.now().getTime() + days * DAY).toISOString().slice(0, 10);
  const until = (date: string) => Date.parse(`${date}T00:00:00Z`) - service.clock.now().getTime();

  it.each(['sandbox', 'production'] as const)('waits for its day in %s', async (environment) => {
    const of = await service.team(environment);
    const activate_by = day(3);
    const id = await place({ activate_by }, { of });
    await service.settle();
    await pass(until(activate_by) - 1);
    expect(await stepsOf(id, of)).toEqual(['ordered']);
    expect((await of.get('/v3/orders?order_activation_types=scheduled')).json.total).toBe(1);
    await pass(1);
    expect(await stepsOf(id, of)).toEqual(['ordered', 'requisition_created']);
  });

  it('is released when the sandbox clock reaches the day', async () => {
    const sandbox = await service.team();
    const id = await place({ activate_by: day(3) }, { of: sandbox });
    const path = `/v1/org/${sandbox.orgId}/team/${sandbox.tenant.teamId}/sandbox/clock`;
    await sandbox.management.post(path, { advance_seconds: (3 * DAY) / 1000 });
    await service.settle();
    expect(await stepsOf(id, sandbox)).toEqual(['ordered', 'requisition_created']);
  });

  it('that was postponed waits for the later day', async () => {
    const [first, second] = [day(2), day(5)];
    const id = await place({ activate_by: first });
    expect((await team.patch(`/v3/order/${id}`, { activate_by: second })).json.order.activate_by).toBe(
      second,
    );
    await pass(until(first));
    expect(await stepsOf(id)).toEqual(['ordered']);
    await pass(until(second));
    expect(await stepsOf(id)).toEqual(['ordered', 'requisition_created']);
  });

  it('that is postponed during the request keeps its new day', async () => {
    const [first, second] = [day(2), day(5)];
    const id = await place({ activate_by: first });
    laboratory.meanwhile = async () => {
      laboratory.meanwhile = async () => {};
      await team.patch(`/v3/order/${id}`, { activate_by: second });
    };
    await pass(until(first));
    expect(await stepsOf(id)).toEqual(['ordered']);
    await pass(until(second));
    expect(await stepsOf(id)).toEqual(['ordered', 'requisition_created']);
  });

  it('whose day is cleared is released in production, and waits for simulation in sandbox', async () => {
    const sandbox = await service.team();
    const [here, there] = [
      await place({ activate_by: day(2) }),
      await place({ activate_by: day(2) }, { of: sandbox }),
    ];
    await team.patch(`/v3/order/${here}`, { activate_by: null });
    await sandbox.patch(`/v3/order/${there}`, { activate_by: null });
    await service.settle();
    expect(await stepsOf(here)).toEqual(['ordered', 'requisition_created']);
    await pass(3 * DAY);
    expect(await stepsOf(there, sandbox)).toEqual(['ordered']);
  });

  it('that is cancelled stays cancelled', async () => {
    const activate_by = day(2);
    const id = await place({ activate_by });
    await team.post(`/v3/order/${id}/cancel`);
    await pass(until(activate_by));
    expect(await stepsOf(id)).toEqual(['ordered', 'cancelled']);
    expect(laboratory.asked).toEqual([]);
  });
});

it('does not advance a sandbox order without simulation', async () => {
  const sandbox = await service.team();
  const id = await place({}, { of: sandbox });
  await pass(30 * DAY);
  expect(await stepsOf(id, sandbox)).toEqual(['ordered']);
});

describe('a kit that is registered later', () => {
  const send = async () => {
    const userId = await team.user();
    const sent = await team.post('/v3/order/testkit', {
      user_id: userId,
      lab_test_id: await findLabTestId(team, 'testkit'),
      shipping_details: shipping,
    });
    await service.settle();
    const { id, sample_id: sampleId } = sent.json.order;
    const register = () => team.post('/v3/order/testkit/register', registration(sampleId, userId));
    return { id, sampleId, register };
  };

  it('waits for its registration, and then gets its requisition under its own sample id', async () => {
    const { id, sampleId, register } = await send();
    expect(await stepsOf(id)).toEqual(['ordered', 'awaiting_registration']);
    expect((await register()).status).toBe(200);
    await service.settle();
    expect(await stepsOf(id)).toEqual([
      'ordered',
      'awaiting_registration',
      'testkit_registered',
      'requisition_created',
    ]);
    expect((await read(id)).sample_id).toBe(sampleId);
  });

  it('in transit gets its requisition when it has arrived', async () => {
    const { id, register } = await send();
    await move(id, 'transit_customer');
    expect((await register()).status).toBe(200);
    await service.settle();
    expect(laboratory.asked).toEqual([]);
    await move(id, 'with_customer');
    await service.settle();
    expect((await stepsOf(id)).slice(2)).toEqual([
      'transit_customer',
      'with_customer',
      'testkit_registered',
      'requisition_created',
    ]);
  });

  /** As an older version let it be carried: registered on its way, and its laboratory was asked for nothing. */
  const thereUnasked = async (step: OrderStep) => {
    connect(undefined);
    const { id, register } = await send();
    await register();
    await service.settle();
    const at = [id, step];
    await service.ownerPool.query(
      "update lab_order set step = $2, leg = 'lab', waiting_reason = null where id = $1",
      at,
    );
    await service.ownerPool.query(
      `insert into lab_order_event (team_id, environment, order_id, step, created_at)
      select team_id, environment, id, step, updated_at from lab_order where id = $1`,
      [id],
    );
    await service.ownerPool.query('delete from timer where key = $1', [id]);
    await service.ownerPool.query(
      await readFile(new URL('0071_kits_without_requisition.sql', MIGRATIONS), 'utf8'),
    );
    await service.ownerPool.query('update timer set due_at = $2, due_wall = $2 where key = $1', [
      id,
      service.clock.now(),
    ]);
    return id;
  };

  it.each(['transit_lab', 'delivered_to_lab', 'lab_processing_blocked'] as const)(
    'and was at %s before its laboratory was asked gets its requisition there',
    async (step) => {
      const id = await thereUnasked(step);
      connect(laboratory);
      await pass(0);
      expect(laboratory.asked.map(({ orderId }) => orderId)).toEqual([id]);
      expect((await stepsOf(id)).at(-1)).toBe(step);
      await pass(7 * DAY);
      expect(laboratory.asked).toHaveLength(1);
    },
  );

  it('has a note if its laboratory cannot be reached for a late requisition', async () => {
    const id = await thereUnasked('delivered_to_lab');
    await pass(0);
    expect((await read(id)).notes).toBe('No laboratory network is connected in production');
    connect(laboratory);
    await pass(MINUTE);
    expect(await read(id)).toMatchObject({
      notes: null,
      last_event: { status: 'sample_with_lab.testkit.delivered_to_lab' },
    });
    expect(laboratory.asked).toHaveLength(1);
  });
});
