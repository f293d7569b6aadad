import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { inTenant } from '../../app.ts';
import { changeOrder, LISTED } from './change-store.ts';

let house: House;
let team: TeamInHand;
beforeAll(async () => {
  house = await openHouse();
  team = await house.team();
});
afterAll(() => house.close());

/** Ids of orders that have just been placed. */
async function orders(count: number): Promise<string[]> {
  const [test] = (await team.get('/v3/lab_tests?collection_method=walk_in_test')).json;
  const placed = [];
  for (let n = 0; n < count; n += 1) {
    placed.push((await team.post('/v3/order', order(await team.user(), test.id))).json.order.id);
  }
  await house.settle();
  return placed;
}

type Changes = Parameters<typeof changeOrder>[1]['changes'];

/** Asked for in one turn, as the messages of a laboratory do that are taken together. */
const changeSideBySide = (changes: readonly { id: string; step?: 'ordered' | 'completed'; to: Changes }[]) =>
  inTenant(house.app, team.tenant, (work) =>
    Promise.all(
      changes.map(({ id, step = 'ordered', to }) => changeOrder(work, { order: { id, step }, changes: to })),
    ),
  );

// prettier-ignore
const VALUES: readonly Changes[] = [
  { step: 'requisition_created' },
  { leg: 'inbound' },
  { status_detail: 'lost_in_transit' as never },
  { waiting_reason: 'the "laboratory"\n\\ waits, Ωß' },
  { waiting_reason: null },
  { interpretation: 'critical', has_missing_results: true },
  { has_missing_results: false, interpretation: null },
  { updated_at: new Date('2030-01-02T03:04:05.678Z') },
  { activate_by: '2030-01-02' },
  { icd_codes: ['E11.9', 'a"b'] },
  { step: 'partial_results', physician: JSON.stringify({ first_name: 'Ada' }) },
];

describe('orders that are changed side by side', () => {
  it.each(VALUES)('are what each of them would be by itself: %j', async (to) => {
    const [one = '', two = '', three = ''] = await orders(3);
    const [alone] = await changeSideBySide([{ id: one, to }]);
    const together = await changeSideBySide([
      { id: two, to },
      { id: three, to },
    ]);
    const said = (row: unknown) => ({
      ...(row as object),
      id: '',
      user_id: '',
      transaction_id: '',
      created_at: '',
      ...('updated_at' in to ? {} : { updated_at: '' }),
    });
    expect(alone).toMatchObject(typeof to.physician === 'string' ? { physician: { first_name: 'Ada' } } : to);
    expect(together.map(said)).toEqual([said(alone), said(alone)]);
    expect(together.map((row) => row?.id)).toEqual([two, three]);
  });

  it('are written where nobody moved them, and each is told apart', async () => {
    const [one = '', two = '', three = ''] = await orders(3);
    const answers = await changeSideBySide([
      { id: one, to: { sample_id: 'S-1', interpretation: 'normal' } },
      { id: two, step: 'completed', to: { sample_id: 'S-2', interpretation: 'abnormal' } },
      { id: three, to: { sample_id: 'S-3', interpretation: undefined } },
    ]);
    expect(answers).toMatchObject([
      { id: one, sample_id: 'S-1', interpretation: 'normal' },
      undefined,
      { id: three, sample_id: 'S-3', interpretation: null },
    ]);
    const kept = await Promise.all([one, two, three].map((id) => team.get(`/v3/order/${id}`)));
    expect(kept.map(({ json }) => json.sample_id)).toEqual(['S-1', null, 'S-3']);
  });

  it('are those of their own team', async () => {
    const [one = '', two = ''] = await orders(2);
    const stranger = await house.team();
    const answers = await inTenant(house.app, stranger.tenant, (work) =>
      Promise.all(
        [one, two].map((id) =>
          changeOrder(work, { order: { id, step: 'ordered' }, changes: { step: 'cancelled' as never } }),
        ),
      ),
    );
    expect(answers).toEqual([undefined, undefined]);
    expect((await team.get(`/v3/order/${one}`)).json.status).not.toBe('cancelled');
  });

  it('have columns of the types that the database has', async () => {
    const { rows } = await house.owner.query<{ column_name: string; data_type: string }>(
      "select column_name, data_type from information_schema.columns where table_name = 'lab_order'",
    );
    const types = new Map(rows.map((row) => [row.column_name, row.data_type]));
    expect(Object.entries(LISTED)).toEqual(Object.keys(LISTED).map((column) => [column, types.get(column)]));
  });
});
