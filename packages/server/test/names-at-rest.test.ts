import { describe, expect, it } from 'vitest';
import { address, order, patient, registration, shipping } from './examples.ts';
import type { TestTeam } from './service.ts';
import { useTestService } from './service-hooks.ts';

const service = useTestService();

/** Unique names that occur in no other data. */
const NAMES = ['Quirinazz', 'Zweisteinqq', 'Xaverzz', 'Vierbeinqq'] as const;
const [FIRST, LAST, RECIPIENT_FIRST, RECIPIENT_LAST] = NAMES;
const namedPatient = { ...patient, first_name: FIRST, last_name: LAST };
const parcel = { ...address, receiver_name: `${RECIPIENT_FIRST} ${RECIPIENT_LAST}` };

const demographics = { ...namedPatient, address: parcel };
const insurance = { payor_code: 'AQ-00001', member_id: 'M1', relationship: 'Self', insured: demographics };

/** Places orders of all kinds and simulates them to their results, with webhooks. */
async function placeOrdersOfEveryKind(team: TestTeam): Promise<string[]> {
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
      { ...body, patient_details: namedPatient, patient_address: parcel },
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
  const registered = { ...registration(kit.json.order.sample_id, userId), patient_details: namedPatient };
  done.push(kit, await team.post('/v3/order/testkit/register', { ...registered, patient_address: parcel }));
  orderIds.push(kit.json.order.id);
  expect(done.filter(({ status }) => status >= 300)).toEqual([]);
  await service.settle();
  const total = async (query: string) => (await team.get(`/v3/orders?${query}`)).json.total;
  expect(await total(`patient_name=${LAST}&order_key=patient_name`)).toBe(4);
  // Orders without shipping have no recipient.
  expect(await total(`search_input=${RECIPIENT_LAST}`)).toBe(2);
  for (const id of orderIds) expect((await team.get(`/v3/order/${id}`)).text).toContain(LAST);
  return orderIds;
}

/** Columns that contain one of the words, as text or as bytes. */
async function columnsWith(words: readonly string[]): Promise<string[]> {
  const { rows: tables } = await service.ownerPool.query<{ place: string; columns: string[] }>(`
    select format('%I.%I', table_schema, table_name) as place, array_agg(column_name::text) as columns
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where t.table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') group by 1`);
  expect(tables.flatMap(({ columns }) => columns).length).toBeGreaterThan(400);
  const wanted = words.flatMap((word) => [word, word.toLowerCase(), word.toUpperCase()]);
  const patterns = wanted.flatMap((word) => [`%${word}%`, `%${Buffer.from(word).toString('hex')}%`]);
  const stands = async (place: string, what: string) =>
    (
      await service.ownerPool.query(
        `select from ${place} as line where ${what}::text like any ($1) limit 1`,
        [patterns],
      )
    ).rowCount !== 0;
  const found: string[] = [];
  for (const { place, columns } of tables) {
    // Skip tables without a match in any column.
    if (!(await stands(place, 'line'))) continue;
    for (const name of columns) if (await stands(place, `"${name}"`)) found.push(`${place}.${name}`);
  }
  return found;
}

describe('the name of a patient', () => {
  it('is not stored in plain text in any column', async () => {
    const team = await service.team();
    await placeOrdersOfEveryKind(team);
    expect(await columnsWith(NAMES)).toEqual([]);
    // Proves that the search finds plain text.
    await service.ownerPool.query(`update lab_order set passthrough = $1 where team_id = $2`, [
      LAST,
      team.tenant.teamId,
    ]);
    expect(await columnsWith([LAST])).toEqual(['public.lab_order.passthrough']);
  });
});
