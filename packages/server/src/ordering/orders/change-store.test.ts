import { describe, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { inTenant } from '../../app.ts';
import { updateOrderRow, BATCHABLE_COLUMNS } from './change-store.ts';

const service = useTestService();
const team = useTestTeam(service);

/** Ids of orders that have just been placed. */
async function orders(count: number): Promise<string[]> {
  const testId = await findLabTestId(team, 'walk_in_test');
  const placed = [];
  for (let n = 0; n < count; n += 1) {
    placed.push((await team.post('/v3/order', order(await team.user(), testId))).json.order.id);
  }
  await service.settle();
  return placed;
}

type UpdatedColumns = Parameters<typeof updateOrderRow>[1]['changes'];

/** Asked for in one turn, as the messages of a laboratory do that are taken together. */
const changeSideBySide = (
  changes: readonly { id: string; step?: 'ordered' | 'completed'; to: UpdatedColumns }[],
) =>
  inTenant(service.app, team.tenant, (work) =>
    Promise.all(
      changes.map(({ id, step = 'ordered', to }) =>
        updateOrderRow(work, { order: { id, step }, changes: to }),
      ),
    ),
  );

// prettier-ignore
const VALUES: readonly UpdatedColumns[] = [
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

describe('orders that are updated concurrently', () => {
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

  it('are written only if they are still at their step, with a result for each', async () => {
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

  it('are limited to the orders of the team', async () => {
    const [one = '', two = ''] = await orders(2);
    const stranger = await service.team();
    const answers = await inTenant(service.app, stranger.tenant, (work) =>
      Promise.all(
        [one, two].map((id) =>
          updateOrderRow(work, { order: { id, step: 'ordered' }, changes: { step: 'cancelled' as never } }),
        ),
      ),
    );
    expect(answers).toEqual([undefined, undefined]);
    expect((await team.get(`/v3/order/${one}`)).json.status).not.toBe('cancelled');
  });

  it('use the column types of the database', async () => {
    const { rows } = await service.ownerPool.query<{ column_name: string; data_type: string }>(
      "select column_name, data_type from information_schema.columns where table_name = 'lab_order'",
    );
    const types = new Map(rows.map((row) => [row.column_name, row.data_type]));
    expect(Object.entries(BATCHABLE_COLUMNS)).toEqual(
      Object.keys(BATCHABLE_COLUMNS).map((column) => [column, types.get(column)]),
    );
  });
});
