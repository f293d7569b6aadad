import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { address, order, patient, registration, shipping } from './examples.ts';
import { openHouse, type House, type TeamInHand } from './house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** Nobody else is called so; the letters are in no word of ours. */
const NAMES = ['Quirinazz', 'Zweisteinqq', 'Xaverzz', 'Vierbeinqq'] as const;
const [FIRST, LAST, RECIPIENT_FIRST, RECIPIENT_LAST] = NAMES;
const somebody = { ...patient, first_name: FIRST, last_name: LAST };
const parcel = { ...address, receiver_name: `${RECIPIENT_FIRST} ${RECIPIENT_LAST}` };

const demographics = { ...somebody, address: parcel };
const insurance = { payor_code: 'AQ-00001', member_id: 'M1', relationship: 'Self', insured: demographics };

/** Orders of all kinds for somebody, from the first step to their results, and all that is said meanwhile. */
async function life(team: TeamInHand): Promise<string[]> {
  await team.endpoint();
  const userId = await team.user();
  const tests: { id: string; method: string }[] = (await team.get('/v3/lab_tests')).json;
  const done = [
    await team.patch(`/v2/user/${userId}/info`, demographics),
    await team.post(`/v2/user/${userId}/insurance`, insurance),
  ];
  const orderIds: string[] = [];
  for (const method of ['testkit', 'walk_in_test', 'at_home_phlebotomy']) {
    const body = order(userId, tests.find((test) => test.method === method)?.id ?? '');
    const placed = await team.post(
      '/v3/order',
      { ...body, patient_details: somebody, patient_address: parcel },
      { 'x-idempotency-key': method },
    );
    const { id } = placed.json.order;
    orderIds.push(id);
    done.push(placed, await team.post(`/v3/order/${id}/test?final_status=completed.${method}.completed`));
  }
  const testkit = tests.find((test) => test.method === 'testkit')?.id ?? '';
  const kit = await team.post('/v3/order/testkit', {
    user_id: userId,
    lab_test_id: testkit,
    shipping_details: { ...shipping, ...parcel },
  });
  const registered = { ...registration(kit.json.order.sample_id, userId), patient_details: somebody };
  done.push(kit, await team.post('/v3/order/testkit/register', { ...registered, patient_address: parcel }));
  orderIds.push(kit.json.order.id);
  expect(done.filter(({ status }) => status >= 300)).toEqual([]);
  await house.settle();
  const total = async (query: string) => (await team.get(`/v3/orders?${query}`)).json.total;
  expect(await total(`patient_name=${LAST}&order_key=patient_name`)).toBe(4);
  // What is taken from somebody is sent to nobody.
  expect(await total(`search_input=${RECIPIENT_LAST}`)).toBe(2);
  for (const id of orderIds) expect((await team.get(`/v3/order/${id}`)).text).toContain(LAST);
  return orderIds;
}

/** The columns in which a name stands, whole or in part, in clear or in bytes. */
async function columnsWith(words: readonly string[]): Promise<string[]> {
  const { rows: tables } = await house.owner.query<{ place: string; columns: string[] }>(`
    select format('%I.%I', table_schema, table_name) as place, array_agg(column_name::text) as columns
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where t.table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') group by 1`);
  expect(tables.flatMap(({ columns }) => columns).length).toBeGreaterThan(400);
  const wanted = words.flatMap((word) => [word, word.toLowerCase(), word.toUpperCase()]);
  const patterns = wanted.flatMap((word) => [`%${word}%`, `%${Buffer.from(word).toString('hex')}%`]);
  const stands = async (place: string, what: string) =>
    (
      await house.owner.query(`select from ${place} as line where ${what}::text like any ($1) limit 1`, [
        patterns,
      ])
    ).rowCount !== 0;
  const found: string[] = [];
  for (const { place, columns } of tables) {
    // Most lines have none of them anywhere.
    if (!(await stands(place, 'line'))) continue;
    for (const name of columns) if (await stands(place, `"${name}"`)) found.push(`${place}.${name}`);
  }
  return found;
}

describe('the name of a patient', () => {
  it('stands in clear in no column of the database', async () => {
    const team = await house.team();
    await life(team);
    expect(await columnsWith(NAMES)).toEqual([]);
    // The search itself does find what stands in clear.
    await house.owner.query(`update lab_order set passthrough = $1 where team_id = $2`, [
      LAST,
      team.tenant.teamId,
    ]);
    expect(await columnsWith([LAST])).toEqual(['public.lab_order.passthrough']);
  });
});
