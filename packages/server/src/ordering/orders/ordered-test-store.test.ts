import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { inTenant } from '../../app.ts';
import { getOrderedTest } from './ordered-test-store.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => (service = await openTestService()));
afterAll(() => service.close());

const post = async (of: TestTeam, testId?: string) =>
  of.post('/v3/order', order(await of.user(), testId ?? (await findLabTestId(of, 'walk_in_test'))));
const place = async (of = team, testId?: string) => (await post(of, testId)).json.order;
const kept = async (of = team) =>
  (
    await service.ownerPool.query('select id, document from ordered_lab_test where team_id = $1', [
      of.tenant.teamId,
    ])
  ).rows;
const read = async (id: string) => (await team.get(`/v3/order/${id}`)).json.lab_test;

describe('the lab test snapshot', () => {
  it('is stored once, also by concurrent first orders', async () => {
    team = await service.team();
    const placed = await Promise.all(Array.from({ length: 8 }, () => place()));
    expect(await kept()).toHaveLength(1);
    for (const { id, lab_test: test } of placed) expect(await read(id)).toEqual(test);
    const { rows } = await service.ownerPool.query(
      'select distinct ordered_test_id as id from lab_order where team_id = $1',
      [team.tenant.teamId],
    );
    expect(rows).toEqual([{ id: (await kept())[0].id }]);
  });

  it('does not change with the lab test', async () => {
    team = await service.team();
    const before = await place();
    await service.ownerPool.query('update lab_test set name = $2 where team_id = $1 and id = $3', [
      team.tenant.teamId,
      'Renamed',
      before.lab_test.id,
    ]);
    const after = await place(team, before.lab_test.id);
    expect([await read(before.id), (await read(after.id)).name]).toEqual([before.lab_test, 'Renamed']);
    expect(await kept()).toHaveLength(2);
  });

  it('is stored per team, and cannot be changed or deleted by it', async () => {
    const [one, other] = [await service.team(), await service.team()];
    await Promise.all([place(one), place(other)]);
    expect([(await kept(one)).length, (await kept(other)).length]).toEqual([1, 1]);
    for (const statement of [
      'update ordered_lab_test set created_at = now()',
      'delete from ordered_lab_test',
    ]) {
      const run = inTenant(service.app, one.tenant, ({ tx }) => sql.raw(statement).execute(tx));
      await expect(run).rejects.toThrow(/permission denied/);
    }
  });

  it('throws if it does not exist', async () => {
    team = await service.team();
    const id = '00000000-0000-8000-8000-000000000001';
    await expect(inTenant(service.app, team.tenant, (work) => getOrderedTest(work, id))).rejects.toThrow(id);
  });

  it('is not stored if the order is rolled back', async () => {
    team = await service.team();
    await service.ownerPool.query(
      'alter table lab_order add constraint none check (user_id is null) not valid',
    );
    const failed = await post(team);
    await service.ownerPool.query('alter table lab_order drop constraint none');
    expect([failed.status, (await kept()).length]).toEqual([500, 0]);
    const placed = await place();
    expect(await read(placed.id)).toEqual(placed.lab_test);
  });
});
