import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { order, patient, registration, shipping } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import { runsOfPart } from '../../../test/property-runs.ts';
import { inTenant } from '../../app.ts';
import { DAY } from '../../platform/clock.ts';
import { insertOrder, unknownPatient } from './insert-order.ts';
import { lockNames } from './name-store.ts';
import { nameKey } from './names.ts';
import { getOrderableTest } from './ordered-test.ts';

const service = useTestService();

interface NamedPeople {
  readonly patient: string | null;
  readonly recipient: string | null;
}

/** A team that places orders for names of every letter there is, past the rules of the door. */
async function orderingTeam() {
  const team = await service.team();
  const userId = await team.user();
  const [test] = (await team.get('/v3/lab_tests?collection_method=testkit')).json;
  const place = (named: NamedPeople) =>
    inTenant(service.app, team.tenant, async (work) => {
      const people = {
        ...unknownPatient,
        patient: named.patient === null ? null : { ...who, first_name: named.patient, last_name: '' },
        shipping: named.recipient === null ? null : { ...parcel, receiver_name: named.recipient },
      };
      const row = { user_id: userId, registrable: false };
      const placed = await insertOrder(work, {
        test: await getOrderableTest(work, test.id, 'testkit'),
        clientUserId: 'somebody',
        people,
        row,
      });
      return placed.id;
    });
  return { team, userId, testId: String(test.id), place };
}
const who = { ...patient, gender: 'female' as const };
const parcel = { ...shipping, second_line: null };

const list = async (team: TestTeam, query: Record<string, string>) => {
  const { status, json } = await team.get(`/v3/orders?${new URLSearchParams({ size: '500', ...query })}`);
  expect(status).toBe(200);
  return json.orders.map(({ id }: { id: string }): string => id);
};

interface OrderWithNames extends NamedPeople {
  readonly id: string;
}

/** The reckoning that the lists are held against. */
const begins = (name: string | null, text: string) =>
  name !== null && ` ${nameKey(name)}`.includes(` ${nameKey(text)}`);
const keyOf = ({ patient: name }: OrderWithNames) => (name === null ? null : nameKey(name));
const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
function sorted(orders: readonly OrderWithNames[], sign: 1 | -1): string[] {
  return orders
    .toSorted((a, b) => {
      const unnamed = Number(keyOf(a) === null) - Number(keyOf(b) === null);
      return unnamed || sign * (compare(keyOf(a) ?? '', keyOf(b) ?? '') || compare(a.id, b.id));
    })
    .map(({ id }) => id);
}

describe('orders with sealed names', () => {
  const word = fc.stringMatching(/^[aAbéÉ中𝒜'-]{1,3}$/u).filter((text) => nameKey(text) !== '');
  const name = fc
    .array(word, { minLength: 1, maxLength: 3 })
    .chain((words) => fc.constantFrom(' ', '  ', '-').map((between) => words.join(between)));
  const named = fc.record({
    patient: fc.option(name, { freq: 5 }),
    recipient: fc.option(name),
  });
  const batches = fc.array(fc.array(named, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 });

  it.each([0, 1, 2, 3])(
    'are found and sorted as a plain list would be, with new ones between two looks (%i)',
    (part) =>
      fc.assert(
        fc.asyncProperty(batches, fc.array(name, { minLength: 1, maxLength: 4 }), async (given, texts) => {
          const { team, place } = await orderingTeam();
          const placed: OrderWithNames[] = [];
          for (const batch of given) {
            for (const one of batch) placed.push({ ...one, id: await place(one) });
            const by = (order_direction: string) =>
              list(team, { order_key: 'patient_name', order_direction });
            expect(await by('asc')).toEqual(sorted(placed, 1));
            expect(await by('desc')).toEqual(sorted(placed, -1));
            const page = { order_key: 'patient_name', order_direction: 'asc', size: '2', page: '2' };
            expect(await list(team, page)).toEqual(sorted(placed, 1).slice(2, 4));
          }
          for (const text of texts) {
            const of = (whose: (order: OrderWithNames) => boolean) =>
              sorted(placed.filter(whose), 1).toSorted();
            const found = async (filter: string) => (await list(team, { [filter]: text })).toSorted();
            const [ofPatient, ofRecipient] = [
              of((each) => begins(each.patient, text)),
              of((each) => begins(each.recipient, text)),
            ];
            expect(await found('patient_name')).toEqual(ofPatient);
            expect(await found('shipping_recipient_name')).toEqual(ofRecipient);
            const either = [...new Set([...ofPatient, ...ofRecipient])].toSorted();
            expect(await found('search_input')).toEqual(either);
          }
        }),
        runsOfPart(part, 2),
      ),
  );

  it('share one row for equal names', async () => {
    const { team, place } = await orderingTeam();
    for (const one of ['Ada Lovelace', 'ADA  LOVELACE', 'ada-lovelace'])
      await place({ patient: one, recipient: one });
    expect(await namesOf(team)).toEqual({ names: 1, tokens: 22 });
    expect(await list(team, { patient_name: 'love' })).toHaveLength(3);
  });

  it('are found by the name of the registered patient', async () => {
    const { team, userId, testId } = await orderingTeam();
    const sent = await team.post('/v3/order/testkit', {
      user_id: userId,
      lab_test_id: testId,
      shipping_details: { ...shipping, receiver_name: 'Grace Hopper' },
    });
    const byPatient = (text: string) => list(team, { patient_name: text });
    expect([await byPatient('grace'), await byPatient('ada')]).toEqual([[], []]);
    expect(await list(team, { order_key: 'patient_name' })).toEqual([sent.json.order.id]);
    const kit = registration(sent.json.order.sample_id, userId);
    expect((await team.post('/v3/order/testkit/register', kit)).status).toBe(200);
    expect([await byPatient('grace'), await byPatient('ada')]).toEqual([[], [sent.json.order.id]]);
    expect(await list(team, { shipping_recipient_name: 'hop' })).toEqual([sent.json.order.id]);
  });

  it('keep their names after a rotation of the data key', async () => {
    const { team, place } = await orderingTeam();
    const orders = [
      await place({ patient: 'Zoe', recipient: null }),
      await place({ patient: 'Ada', recipient: null }),
    ];
    await service.app.keyring.cipherOf(team.tenant);
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/${team.tenant.environment}/data_key`;
    await team.management.post(`${path}/rotate`);
    for (let n = 0; n < 2; n += 1) {
      service.clock.move(30_000);
      await expect.poll(async () => (await team.management.get(path)).json.rotation.round).toBeGreaterThan(n);
    }
    await expect.poll(async () => (await team.management.get(path)).json.rotation.state).toBe('done');
    orders.push(await place({ patient: 'Mary', recipient: null }));
    expect(await list(team, { order_key: 'patient_name', order_direction: 'asc' })).toEqual(
      [1, 2, 0].map((n) => orders[n]),
    );
    expect(await list(team, { patient_name: 'zo' })).toEqual([orders[0]]);
  });
});

/** How many names and tokens a team has. */
async function namesOf({ tenant }: TestTeam) {
  const { rows } = await service.ownerPool.query(
    `select (select count(*)::int from order_name where team_id = $1) as names,
       (select count(*)::int from order_name_token where team_id = $1) as tokens`,
    [tenant.teamId],
  );
  return rows[0];
}

describe('a name', () => {
  const erase = async (team: TestTeam, userId: string) => {
    await team.delete(`/v2/user/${userId}`);
    service.clock.move(7 * DAY);
    await service.settle();
  };
  const placeFor = async (team: TestTeam, userId: string, lastName = 'Lovelace') => {
    const testId = await findLabTestId(team, 'testkit');
    const person = { ...patient, last_name: lastName };
    const body = { ...order(userId, testId), patient_details: person };
    return team.post('/v3/order', body);
  };

  it('is erased with the last order that uses it', async () => {
    const team = await service.team();
    const [one, other] = [await team.user(), await team.user()];
    for (const user of [one, other, other]) expect((await placeFor(team, user)).status).toBe(200);
    await placeFor(team, one, 'Byron');
    // The recipient of all is Ada Lovelace.
    expect((await namesOf(team)).names).toBe(2);
    await erase(team, one);
    expect((await namesOf(team)).names).toBe(1);
    expect(await list(team, { patient_name: 'love' })).toHaveLength(2);
    await erase(team, other);
    expect(await namesOf(team)).toEqual({ names: 0, tokens: 0 });
  });

  it('is kept for an order that is placed concurrently with the erasure', async () => {
    const team = await service.team();
    const [one, other, third] = [await team.user(), await team.user(), await team.user()];
    await placeFor(team, one);
    const [test] = (await team.get('/v3/lab_tests?collection_method=testkit')).json;
    const client = await service.ownerPool.connect();
    const waiting = () =>
      service.ownerPool
        .query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
        .then(({ rowCount }) => rowCount);
    try {
      // The name is erased and nobody knows it yet; the order waits, and writes it anew.
      await client.query('begin');
      await client.query('delete from app_user where id = $1', [one]);
      const placed = placeFor(team, other);
      await expect.poll(waiting).toBe(1);
      await client.query('commit');
      const { json, status } = await placed;
      expect(status).toBe(200);
      expect(await list(team, { patient_name: 'love' })).toEqual([json.order.id]);

      // An order is placed and nobody knows it yet; who erases the other one waits, and leaves the name.
      let erased: Promise<unknown> = Promise.resolve();
      await inTenant(service.app, team.tenant, async (work) => {
        const names = await lockNames(work, ['Ada Lovelace']);
        erased = client.query('delete from app_user where id = $1', [other]);
        await expect.poll(waiting).toBe(1);
        await insertOrder(work, {
          test: await getOrderableTest(work, test.id, 'testkit'),
          clientUserId: 'third',
          names,
          people: { ...unknownPatient, patient: who },
          row: { user_id: third, registrable: false },
        });
      });
      await erased;
      expect(await list(team, { patient_name: 'love' })).toHaveLength(1);
      expect((await namesOf(team)).names).toBe(1);
    } finally {
      client.release();
    }
  });

  it('is inserted once by two concurrent first orders', async () => {
    const team = await service.team();
    const users = [await team.user(), await team.user(), await team.user(), await team.user()];
    const answers = await Promise.all(users.map((user) => placeFor(team, user, 'Hopper')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await namesOf(team)).names).toBe(2);
    expect(await list(team, { patient_name: 'hopper' })).toHaveLength(4);
  });
});
