import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { address, order, registration, shipping } from '../../../test/examples.ts';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import type { LabNetwork, Requisition } from '../../adapters/lab-network/port.ts';
import { inTenant } from '../../app.ts';
import { DAY, HOUR, MINUTE } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { advance, getOrder } from './orders.ts';
import { requestRequisition } from './request-requisition.ts';
import type { Step } from './status.ts';

const physicians = [
  { first_name: 'Elizabeth', last_name: 'Blackwell', npi: '1234567893', licensed_states: ['NY', 'NJ'] },
  { first_name: 'Mary', last_name: 'Putnam', npi: '1003000126', licensed_states: ['CA'] },
];

const MIGRATIONS = new URL('../../../migrations/', import.meta.url);

/** A laboratory outside of the house: it writes down what it is asked, and can be out of order. */
interface Laboratory extends LabNetwork {
  asked: Requisition[];
  withdrawn: string[];
  /** What happens while it is being asked. */
  meanwhile: () => Promise<void>;
}

const openLaboratory = (): Laboratory => {
  const laboratory: Laboratory = {
    asked: [],
    withdrawn: [],
    meanwhile: async () => {},
    requestTests: async (requisition) => {
      laboratory.asked.push(requisition);
      await laboratory.meanwhile();
      return { sampleId: `S-${requisition.orderId.slice(-12)}` };
    },
    withdrawTests: async ({ orderId }) => void laboratory.withdrawn.push(orderId),
    reports: async () => [],
  };
  return laboratory;
};

/** An event as the log has it. */
interface Told {
  body: { event_type: string; data: { notes: string | null } };
}

let house: House;
let team: TeamInHand;
let laboratory: Laboratory;
beforeAll(async () => {
  house = await openHouse({ PHYSICIANS: JSON.stringify(physicians) });
});
afterAll(() => house.close());
beforeEach(async () => {
  team = await house.team('production');
  laboratory = openLaboratory();
  connect(laboratory);
});

const connect = (production: LabNetwork | undefined) =>
  Object.assign(house.app, { labNetworks: { ...house.app.labNetworks, production } });

const testOf = async (of: TeamInHand, method: string) =>
  (await of.get(`/v3/lab_tests?collection_method=${method}`)).json[0].id;

async function place(change: object = {}, { of = team, method = 'walk_in_test' } = {}): Promise<string> {
  const body = { ...order(await of.user(), await testOf(of, method)), ...change };
  const answer = await of.post('/v3/order', body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json.order.id;
}

const read = async (id: string, of = team) => (await of.get(`/v3/order/${id}`)).json;
const stepsOf = async (id: string, of = team) =>
  (await read(id, of)).events.map(({ status }: { status: string }) => status.split('.')[2]);

async function pass(milliseconds: number): Promise<void> {
  house.clock.move(milliseconds);
  house.app.bell.ring('timers');
  await house.settle();
}

const move = (id: string, to: Step) =>
  inTenant(house.app, team.tenant, async (work) => advance(work, await getOrder(work, id), { to }));

describe('an order in production', () => {
  it('gets its requisition, its sample id and the physician of its state', async () => {
    const id = await place();
    await house.settle();
    expect(await read(id)).toMatchObject({
      sample_id: `S-${id.slice(-12)}`,
      last_event: { status: 'received.walk_in_test.requisition_created' },
    });
    expect(laboratory.asked).toMatchObject([
      { orderId: id, physician: { firstName: 'Mary', lastName: 'Putnam', npi: '1003000126' } },
    ]);
    const { rows } = await house.owner.query(
      "select event_type from event where team_id = $1 and event_type like 'labtest.%' order by position",
      [team.tenant.teamId],
    );
    expect(rows.map(({ event_type: type }) => type)).toEqual([
      'labtest.order.created',
      'labtest.order.updated',
    ]);
  });

  it('brings its own physician', async () => {
    await place({ physician: { first_name: 'Rebecca', last_name: 'Crumpler', npi: '1234567893' } });
    await house.settle();
    expect(laboratory.asked[0]?.physician?.lastName).toBe('Crumpler');
  });

  it('waits for a laboratory, and says so', async () => {
    connect(undefined);
    const id = await place();
    await house.settle();
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
    expect(told.map(({ body }: Told) => [body.event_type, body.data.notes])).toEqual([
      ['labtest.order.created', null],
      ['labtest.order.updated', 'No laboratory network is connected in production'],
      ['labtest.order.updated', null],
    ]);
  });

  it('names its diagnoses as the classification writes them, each once', async () => {
    await place({ icd_codes: [' e119', 'E11.9', 'Z794', 'to be said'] });
    await house.settle();
    expect(laboratory.asked[0]?.icdCodes).toEqual(['E11.9', 'Z79.4', 'to be said']);
  });

  it('waits for a physician who may order where the patient lives', async () => {
    const id = await place({ patient_address: { ...address, state: 'TX', zip: '73301' } });
    await house.settle();
    expect((await read(id)).notes).toBe('No physician of the service is licensed where the patient lives');
    expect(laboratory.asked).toEqual([]);
  });

  it('waits where the service has no physician at all, and says that', async () => {
    const known = house.app.config;
    Object.assign(house.app, { config: { ...known, PHYSICIANS: [] } });
    const id = await place();
    await house.settle();
    Object.assign(house.app, { config: known });
    expect((await read(id)).notes).toBe(
      'The order names no physician, and the service has none of its own (PHYSICIANS)',
    );
    expect(laboratory.asked).toEqual([]);
    await team.post(`/v3/order/${id}/cancel`);
  });

  it('asks again, later and later, until the laboratory answers', async () => {
    let failures = 4;
    laboratory.meanwhile = async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('The line is down');
    };
    const id = await place();
    await house.settle();
    expect((await read(id)).notes).toBe('The laboratory network did not take the requisition');
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

  it('has one requisition, however many look at it at once', async () => {
    connect(undefined);
    const id = await place();
    await house.settle();
    connect(laboratory);
    const input = { order_id: id, tries: 0 };
    await Promise.all([1, 2, 3, 4].map(() => requestRequisition.run(house.app, team.tenant, input)));
    await requestRequisition.run(house.app, team.tenant, input);
    expect(await stepsOf(id)).toEqual(['ordered', 'requisition_created']);
  });

  it('goes on after its user was deleted and came back', async () => {
    connect(undefined);
    const userId = await team.user();
    const id = (await team.post('/v3/order', order(userId, await testOf(team, 'walk_in_test')))).json.order
      .id;
    await house.settle();
    await team.delete(`/v2/user/${userId}`);
    connect(laboratory);
    await pass(MINUTE);
    expect(laboratory.asked).toEqual([]);
    await team.post(`/v2/user/undo_delete?user_id=${userId}`);
    await pass(6 * HOUR);
    expect(await stepsOf(id)).toEqual(['ordered', 'requisition_created']);
  });
});

it('of a user who is erased while the laboratory is asked is taken back, however often that fails', async () => {
  const userId = await team.user();
  // The laboratory may be asked before the order's answer is back.
  laboratory.meanwhile = async () => {
    await house.owner.query('delete from app_user where id = $1', [userId]);
  };
  const { withdrawTests } = laboratory;
  let failures = 2;
  laboratory.withdrawTests = async (requisition) => {
    failures -= 1;
    if (failures >= 0) throw new Error('The line is dead');
    await withdrawTests(requisition);
  };
  const placed = await team.post('/v3/order', order(userId, await testOf(team, 'walk_in_test')));
  await house.settle();
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
    await house.settle();
    laboratory.meanwhile = async () => {
      await team.post(`/v3/order/${id}/cancel`);
      await expect.poll(() => laboratory.withdrawn).toContain(id);
      laboratory.withdrawn = [];
      andThen();
    };
    connect(laboratory);
    return id;
  }

  it('takes the requisition back', async () => {
    const id = await place();
    await house.settle();
    await team.post(`/v3/order/${id}/cancel`);
    await house.settle();
    expect(laboratory.withdrawn).toContain(id);
  });

  it('while the laboratory is asked wins, and the requisition is taken back', async () => {
    let id = '';
    laboratory.meanwhile = async () => void (await team.post(`/v3/order/${id}/cancel`));
    connect(undefined);
    id = await place();
    await house.settle();
    connect(laboratory);
    await pass(MINUTE);
    expect(await stepsOf(id)).toEqual(['ordered', 'cancelled']);
    expect(laboratory.asked).toHaveLength(1);
    expect(laboratory.withdrawn.at(-1)).toBe(id);
  });

  it('that came before its order, and could not be told at once, is told again', async () => {
    const { withdrawTests } = laboratory;
    let failures = 2;
    const id = await cancelledWhileAsked(() => {
      laboratory.withdrawTests = async (requisition) => {
        failures -= 1;
        if (failures >= 0) throw new DomainError('unavailable', 'The line is down');
        await withdrawTests(requisition);
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

  it('is told after the asking, even where nobody knows what came of it', async () => {
    const id = await cancelledWhileAsked(() => {
      throw new DomainError('unavailable', 'The laboratory did not answer in time');
    });
    await pass(MINUTE);
    expect(laboratory.withdrawn).toEqual([id]);
    expect(await read(id)).toMatchObject({ notes: null, last_event: { status: cancelled } });
  });

  it('is told to the laboratory when the process died between asking and writing', async () => {
    connect(undefined);
    const id = await place();
    await house.settle();
    await team.post(`/v3/order/${id}/cancel`);
    await house.settle();
    connect(laboratory);
    // The queue gives the job of the dead process to another one.
    await requestRequisition.run(house.app, team.tenant, { order_id: id, tries: 0 });
    expect([laboratory.asked, laboratory.withdrawn]).toEqual([[], [id]]);
  });
});

describe('a scheduled order', () => {
  const day = (days: number) => new Date(house.clock.now().getTime() + days * DAY).toISOString().slice(0, 10);
  const until = (date: string) => Date.parse(`${date}T00:00:00Z`) - house.clock.now().getTime();

  it.each(['sandbox', 'production'] as const)('waits for its day in %s', async (environment) => {
    const of = await house.team(environment);
    const activate_by = day(3);
    const id = await place({ activate_by }, { of });
    await house.settle();
    await pass(until(activate_by) - 1);
    expect(await stepsOf(id, of)).toEqual(['ordered']);
    expect((await of.get('/v3/orders?order_activation_types=scheduled')).json.total).toBe(1);
    await pass(1);
    expect(await stepsOf(id, of)).toEqual(['ordered', 'requisition_created']);
  });

  it('goes on when the team moves its sandbox clock to the day', async () => {
    const sandbox = await house.team();
    const id = await place({ activate_by: day(3) }, { of: sandbox });
    const path = `/v1/org/${sandbox.orgId}/team/${sandbox.tenant.teamId}/sandbox/clock`;
    await sandbox.management.post(path, { advance_seconds: (3 * DAY) / 1000 });
    await house.settle();
    expect(await stepsOf(id, sandbox)).toEqual(['ordered', 'requisition_created']);
  });

  it('that was put off waits for the later day', async () => {
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

  it('that is put off while the laboratory is asked keeps its new day', async () => {
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

  it('whose day is cleared goes on at once in production, and in sandbox waits to be simulated', async () => {
    const sandbox = await house.team();
    const [here, there] = [
      await place({ activate_by: day(2) }),
      await place({ activate_by: day(2) }, { of: sandbox }),
    ];
    await team.patch(`/v3/order/${here}`, { activate_by: null });
    await sandbox.patch(`/v3/order/${there}`, { activate_by: null });
    await house.settle();
    expect(await stepsOf(here)).toEqual(['ordered', 'requisition_created']);
    await pass(3 * DAY);
    expect(await stepsOf(there, sandbox)).toEqual(['ordered']);
  });

  it('that is cancelled stays so', async () => {
    const activate_by = day(2);
    const id = await place({ activate_by });
    await team.post(`/v3/order/${id}/cancel`);
    await pass(until(activate_by));
    expect(await stepsOf(id)).toEqual(['ordered', 'cancelled']);
    expect(laboratory.asked).toEqual([]);
  });
});

it('leaves an order in sandbox where it is until it is simulated', async () => {
  const sandbox = await house.team();
  const id = await place({}, { of: sandbox });
  await pass(30 * DAY);
  expect(await stepsOf(id, sandbox)).toEqual(['ordered']);
});

describe('a kit that is registered later', () => {
  const send = async () => {
    const userId = await team.user();
    const sent = await team.post('/v3/order/testkit', {
      user_id: userId,
      lab_test_id: await testOf(team, 'testkit'),
      shipping_details: shipping,
    });
    await house.settle();
    const { id, sample_id: sampleId } = sent.json.order;
    const register = () => team.post('/v3/order/testkit/register', registration(sampleId, userId));
    return { id, sampleId, register };
  };

  it('waits for its registration, and then gets its requisition under its own sample id', async () => {
    const { id, sampleId, register } = await send();
    expect(await stepsOf(id)).toEqual(['ordered', 'awaiting_registration']);
    expect((await register()).status).toBe(200);
    await house.settle();
    expect(await stepsOf(id)).toEqual([
      'ordered',
      'awaiting_registration',
      'testkit_registered',
      'requisition_created',
    ]);
    expect((await read(id)).sample_id).toBe(sampleId);
  });

  it('on its way gets it when it has arrived', async () => {
    const { id, register } = await send();
    await move(id, 'transit_customer');
    expect((await register()).status).toBe(200);
    await house.settle();
    expect(laboratory.asked).toEqual([]);
    await move(id, 'with_customer');
    await house.settle();
    expect((await stepsOf(id)).slice(2)).toEqual([
      'transit_customer',
      'with_customer',
      'testkit_registered',
      'requisition_created',
    ]);
  });

  /** As an older version let it be carried: registered on its way, and its laboratory was asked for nothing. */
  const thereUnasked = async (step: Step) => {
    connect(undefined);
    const { id, register } = await send();
    await register();
    await house.settle();
    const at = [id, step];
    await house.owner.query(
      "update lab_order set step = $2, leg = 'lab', waiting_reason = null where id = $1",
      at,
    );
    await house.owner.query(
      `insert into lab_order_event (team_id, environment, order_id, step, created_at)
      select team_id, environment, id, step, updated_at from lab_order where id = $1`,
      [id],
    );
    await house.owner.query('delete from timer where key = $1', [id]);
    await house.owner.query(await readFile(new URL('0071_kits_without_requisition.sql', MIGRATIONS), 'utf8'));
    await house.owner.query('update timer set due_at = $2, due_wall = $2 where key = $1', [
      id,
      house.clock.now(),
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

  it('says what it waits for where its laboratory, which was not asked before, cannot be asked', async () => {
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
