import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { inTenant } from '../../app.ts';
import { orderedTestOf } from './ordered-test-store.ts';

let house: House;
let team: TeamInHand;
beforeAll(async () => (house = await openHouse()));
afterAll(() => house.close());

const orderableTest = async (of: TeamInHand): Promise<string> =>
  (await of.get('/v3/lab_tests?collection_method=walk_in_test')).json[0].id;
const post = async (of: TeamInHand, testId?: string) =>
  of.post('/v3/order', order(await of.user(), testId ?? (await orderableTest(of))));
const place = async (of = team, testId?: string) => (await post(of, testId)).json.order;
const kept = async (of = team) =>
  (
    await house.owner.query('select id, document from ordered_lab_test where team_id = $1', [
      of.tenant.teamId,
    ])
  ).rows;
const read = async (id: string) => (await team.get(`/v3/order/${id}`)).json.lab_test;

describe('what was ordered', () => {
  it('is kept once, also when the first orders of it come at once', async () => {
    team = await house.team();
    const placed = await Promise.all(Array.from({ length: 8 }, () => place()));
    expect(await kept()).toHaveLength(1);
    for (const { id, lab_test: test } of placed) expect(await read(id)).toEqual(test);
    const { rows } = await house.owner.query(
      'select distinct ordered_test_id as id from lab_order where team_id = $1',
      [team.tenant.teamId],
    );
    expect(rows).toEqual([{ id: (await kept())[0].id }]);
  });

  it('stays what it was when the lab test is changed', async () => {
    team = await house.team();
    const before = await place();
    await house.owner.query('update lab_test set name = $2 where team_id = $1 and id = $3', [
      team.tenant.teamId,
      'Renamed',
      before.lab_test.id,
    ]);
    const after = await place(team, before.lab_test.id);
    expect([await read(before.id), (await read(after.id)).name]).toEqual([before.lab_test, 'Renamed']);
    expect(await kept()).toHaveLength(2);
  });

  it('is a row of each team, which it can neither change nor delete', async () => {
    const [one, other] = [await house.team(), await house.team()];
    await Promise.all([place(one), place(other)]);
    expect([(await kept(one)).length, (await kept(other)).length]).toEqual([1, 1]);
    for (const statement of [
      'update ordered_lab_test set created_at = now()',
      'delete from ordered_lab_test',
    ]) {
      const run = inTenant(house.app, one.tenant, ({ tx }) => sql.raw(statement).execute(tx));
      await expect(run).rejects.toThrow(/permission denied/);
    }
  });

  it('that is not there is told', async () => {
    team = await house.team();
    const id = '00000000-0000-8000-8000-000000000001';
    await expect(inTenant(house.app, team.tenant, (work) => orderedTestOf(work, id))).rejects.toThrow(id);
  });

  it('is not written where its order is not', async () => {
    team = await house.team();
    await house.owner.query('alter table lab_order add constraint none check (user_id is null) not valid');
    const failed = await post(team);
    await house.owner.query('alter table lab_order drop constraint none');
    expect([failed.status, (await kept()).length]).toEqual([500, 0]);
    const placed = await place();
    expect(await read(placed.id)).toEqual(placed.lab_test);
  });
});
