import { describe, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import { countLockWaiters } from '../../../test/locks.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { inTenant, readTenant } from '../../app.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import { findRecreation, hasOrder, lockOrder, lockOrders, setOrderColumns } from './row-store.ts';

const service = useTestService();
const team = useTestTeam(service);

/** Ids of new orders, sorted. */
async function orders(count: number, of = team): Promise<string[]> {
  const testId = await findLabTestId(of, 'walk_in_test');
  const placed = [];
  for (let n = 0; n < count; n += 1)
    placed.push((await of.post('/v3/order', order(await of.user(), testId))).json.order.id);
  await service.settle();
  return placed.toSorted();
}

/** Those of these orders that no transaction has locked. */
const unlocked = async (ids: readonly string[]): Promise<string[]> =>
  (
    await service.ownerPool.query<{ id: string }>(
      'select id from lab_order where id = any($1) order by id for update skip locked',
      [ids],
    )
  ).rows.map(({ id }) => id);

const nowhere = '01900000-0000-7000-8000-000000000000';

describe('locking orders', () => {
  const cases: [string, (work: Work, ids: readonly string[]) => Promise<unknown>, number[]][] = [
    ['one', (work, [, two = '']) => lockOrder(work, two), [1]],
    ['one with its id in capitals', (work, [, two = '']) => lockOrder(work, two.toUpperCase()), [1]],
    [
      'several at once',
      (work, [one = '', , three = '']) => Promise.all([lockOrder(work, three), lockOrder(work, one)]),
      [0, 2],
    ],
    ['a list', (work, [one = '', , three = '']) => lockOrders(work, [three, one.toUpperCase(), one]), [0, 2]],
    ['none that exists', (work) => lockOrder(work, nowhere), []],
  ];
  it.each(cases)('locks these and no others: %s', async (_what, lock, locked) => {
    const ids = await orders(3);
    const free = await inTenant(service.app, team.tenant, async (work) => {
      await lock(work, ids);
      return unlocked(ids);
    });
    expect(free).toEqual(ids.filter((_, at) => !locked.includes(at)));
    expect(await unlocked(ids)).toEqual(ids);
  });

  it('returns each order for its id, and nothing for an unknown one or that of another team', async () => {
    const [one = '', two = ''] = await orders(2);
    const [theirs = ''] = await orders(1, await service.team());
    const found = await inTenant(service.app, team.tenant, async (work) => {
      const all = await Promise.all(
        [two, nowhere, one.toUpperCase(), theirs].map((id) => lockOrder(work, id)),
      );
      expect(await unlocked([one, two, theirs])).toEqual([theirs]);
      return all;
    });
    expect(found.map((each) => each?.id)).toEqual([two, undefined, one, undefined]);
  });

  it('waits for the first of them before it locks the second', async () => {
    const [one = '', two = ''] = await orders(2);
    const owner = await service.ownerPool.connect();
    let locking: Promise<unknown> = Promise.resolve();
    try {
      await owner.query('begin');
      await owner.query('select from lab_order where id = $1 for update', [one]);
      locking = inTenant(service.app, team.tenant, (work) => lockOrders(work, [two, one]));
      await expect.poll(() => countLockWaiters(service)).toBe(1);
      expect(await unlocked([two])).toEqual([two]);
    } finally {
      await owner.query('commit');
      owner.release();
    }
    await locking;
  });
});

describe('a column that is set at any step', () => {
  it('is set in one order, whose last change is then now', async () => {
    const [one = '', two = ''] = await orders(2);
    service.clock.move(MINUTE);
    await inTenant(service.app, team.tenant, (work) => setOrderColumns(work, one, { sms_enabled: true }));
    const { rows } = await service.ownerPool.query(
      `select sms_enabled, updated_at = $2 as is_new from lab_order where id = any($1) order by id`,
      [[one, two], service.clock.now()],
    );
    expect(rows).toEqual([
      { sms_enabled: true, is_new: true },
      { sms_enabled: null, is_new: false },
    ]);
    service.clock.move(-MINUTE);
    await inTenant(service.app, team.tenant, (work) => setOrderColumns(work, one, { sms_enabled: false }));
    expect(
      (await service.ownerPool.query('select updated_at from lab_order where id = $1', [one])).rows,
    ).toEqual([{ updated_at: new Date(service.clock.now().getTime() + MINUTE) }]);
  });
});

describe('an order', () => {
  it('exists for its own team only, also while its user can be restored', async () => {
    const [id = ''] = await orders(1);
    const other = await service.team();
    const exists = (of: TestTeam, which = id) =>
      readTenant(service.app, of.tenant, (work) => hasOrder(work, which));
    expect([await exists(team), await exists(other), await exists(team, nowhere)]).toEqual([
      true,
      false,
      false,
    ]);
    const { user_id: userId } = (await team.get(`/v3/order/${id}`)).json;
    await team.delete(`/v2/user/${userId}`);
    expect(await exists(team)).toBe(true);
  });

  it('was recreated by the order with that origin that names it, and no other', async () => {
    const [one = '', two = '', three = ''] = await orders(3);
    const recreationOf = (id: string) =>
      readTenant(service.app, team.tenant, (work) => findRecreation(work, id));
    const name = (child: string, origin: string) =>
      service.ownerPool.query('update lab_order set parent_id = $2, origin = $3 where id = $1', [
        child,
        one,
        origin,
      ]);
    expect(await recreationOf(one)).toBeUndefined();
    await name(three, 'redraw');
    expect(await recreationOf(one)).toBeUndefined();
    await name(two, 'recreation');
    expect([await recreationOf(one), await recreationOf(two)]).toEqual([two, undefined]);
  });
});
