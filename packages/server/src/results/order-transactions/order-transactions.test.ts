import { describe, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import type { LabReport } from '../../adapters/lab-network/port.ts';
import { inTenant } from '../../app.ts';
import type { Work } from '../../platform/work.ts';
import { advanceOrder, getOrder, buildRequisition, type Order } from '../../ordering/orders/orders.ts';
import { fetchReport, saveReport } from '../results/results.ts';
import { createRedraw, markersToRedraw } from './order-transactions.ts';

const service = useTestService();

const PHYSICIAN = { physician: { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' } };

/** A walk-in order of some markers of a laboratory that takes redraws, at its requisition. */
async function walkIn(team: TestTeam, userId: string): Promise<string> {
  const markers = await service.ownerPool.query<{ id: number }>(
    `select m.id from marker m join lab l on l.id = m.lab_id
     where l.slug = 'labcorp' and m.type = 'biomarker' and m.a_la_carte_enabled and m.is_orderable and m.aoe is null
     order by m.id limit 6`,
  );
  const ids = markers.rows.map(({ id }) => id);
  const { lab_test_id: _none, ...rest } = order(userId, '');
  const placed = await team.post('/v3/order', {
    ...rest,
    ...PHYSICIAN,
    order_set: { add_on: { marker_ids: ids } },
    collection_method: 'walk_in_test',
  });
  if (placed.status !== 200) throw new Error(placed.text);
  const id = placed.json.order.id;
  await team.post(`/v3/order/${id}/test?final_status=requisition_created`);
  return id;
}

const inside = <T>(team: TestTeam, run: (work: Work) => Promise<T>) =>
  inTenant(service.app, team.tenant, run);

/** What the laboratory finds of an order: a final report that lacks some of what was asked for. */
async function lackingReport(team: TestTeam, id: string): Promise<LabReport> {
  const { requisition, sampleId } = await inside(team, async (work) => {
    const order = await getOrder(work, id);
    return { requisition: await buildRequisition(work, order), sampleId: order.sample_id ?? '' };
  });
  const report = await fetchReport(service.app, team.tenant, {
    requisition,
    sampleId,
    at: service.clock.now(),
    wish: { interpretation: 'abnormal', resultTypes: null, hasMissingResults: true, status: 'final' },
  });
  if (!report || report.missing.length === 0) throw new Error('Nothing is missing');
  return report;
}

/** As the results will do it when the trigger comes: the report is kept, and the initial order ends with its redraw. */
const redrawFor = (team: TestTeam, order: Order, report: LabReport) =>
  inside(team, async (work) => {
    const changes = await saveReport(work, order, report);
    return createRedraw(work, order, { markerIds: markersToRedraw(order, report.missing), changes });
  });

async function redrawn(team: TestTeam) {
  const id = await walkIn(team, await team.user());
  const report = await lackingReport(team, id);
  const initial = await inside(team, (work) => getOrder(work, id));
  return { ...(await redrawFor(team, initial, report)), report };
}

const read = async (team: TestTeam, id: string) => (await team.get(`/v3/order_transaction/${id}`)).json;

describe('an order transaction', () => {
  it('starts with an order and follows its status', async () => {
    const team = await service.team();
    const testId = await findLabTestId(team, 'testkit');
    const placed = (await team.post('/v3/order', order(await team.user(), testId))).json.order;
    const { id } = placed.order_transaction;
    expect(await read(team, id)).toEqual({
      id,
      team_id: team.tenant.teamId,
      status: 'active',
      orders: [
        {
          id: placed.id,
          origin: 'initial',
          parent_id: null,
          last_status: 'ordered',
          last_status_created_at: placed.created_at,
          updated_at: placed.updated_at,
          created_at: placed.created_at,
        },
      ],
    });
    expect((await team.get(`/v3/order_transaction/${id}/result`)).status).toBe(404);
    await team.post(`/v3/order/${placed.id}/test`);
    expect(await read(team, id)).toMatchObject({
      status: 'completed',
      orders: [{ last_status: 'completed' }],
    });
  });

  // prettier-ignore
  it.each([
    [['cancelled'],                     'cancelled'],
    [['sample_error'],                  'completed'],
    [['cancelled', 'cancelled'],        'cancelled'],
    [['cancelled', 'ordered'],          'active'],
    [['cancelled', 'completed'],        'completed'],
    [['completed', 'ordered'],          'active'],
  ])('with orders that end as %s is %s', async (ends, status) => {
    const team = await service.team();
    const userId = await team.user();
    const testId = await findLabTestId(team, 'walk_in_test');
    let last: { id: string; order_transaction: { id: string } } | undefined;
    for (const end of ends) {
      const again = last ? { recreate_from_order_id: last.id, update_reason: 'WRONG_TEST' } : {};
      const body = { ...order(userId, testId), ...PHYSICIAN, ...again };
      const placed = await team.post('/v3/order', body);
      if (placed.status !== 200) throw new Error(placed.text);
      last = placed.json.order;
      if (end === 'cancelled') await team.post(`/v3/order/${last?.id}/cancel`);
      else if (end !== 'ordered') await team.post(`/v3/order/${last?.id}/test?final_status=${end}`);
    }
    const transaction = await read(team, last?.order_transaction.id ?? '');
    expect(transaction).toMatchObject({ status });
    expect(transaction.orders.map((each: { last_status: string }) => each.last_status)).toEqual(ends);
    const seen = await team.get(`/v3/order/${last?.id}`);
    expect(seen.json.order_transaction.status).toBe(status);
  });

  it('is hidden for a deleted user', async () => {
    const team = await service.team();
    const { initial } = await redrawn(team);
    await team.delete(`/v2/user/${initial.user_id}`);
    for (const path of ['', '/result']) {
      const answer = await team.get(`/v3/order_transaction/${initial.transaction_id}${path}`);
      expect(answer.status).toBe(404);
    }
  });
});

describe('a redraw', () => {
  it('replaces the initial order, with the missing markers only', async () => {
    const team = await service.team();
    const hook = await team.endpoint();
    const { initial, redraw, report } = await redrawn(team);
    const missing = new Set(report.missing.map(({ markerId }) => markerId));
    const seen = (await team.get(`/v3/order/${redraw.id}`)).json;
    expect(seen).toMatchObject({
      origin: 'redraw',
      last_event: { status: 'received.walk_in_test.ordered' },
      user_id: initial.user_id,
      patient_details: { first_name: 'Ada' },
      physician: PHYSICIAN.physician,
      sample_id: null,
    });
    expect(new Set(seen.lab_test.markers.map(({ id }: { id: number }) => id))).toEqual(missing);
    expect(await read(team, initial.transaction_id)).toMatchObject({
      status: 'active',
      orders: [
        { id: initial.id, origin: 'initial', last_status: 'redraw_available' },
        { id: redraw.id, origin: 'redraw', parent_id: initial.id, last_status: 'ordered' },
      ],
    });
    await service.settle();
    expect(hook.events().slice(-2)).toEqual(['labtest.order.updated', 'labtest.order.created']);
    // Whoever hears that the initial order is over hears in the same breath that something takes its place.
    expect(hook.received.at(-2)?.body.data).toMatchObject({
      id: initial.id,
      order_transaction: seen.order_transaction,
    });
    expect(seen.order_transaction).toMatchObject({ status: 'active', orders: [{}, { id: redraw.id }] });
  });

  it('fills in missing results, and names the source order of each value', async () => {
    const team = await service.team();
    const { initial, redraw, report } = await redrawn(team);
    const path = `/v3/order_transaction/${initial.transaction_id}/result`;
    const lacking = (await team.get(path)).json;
    expect(lacking.metadata).toMatchObject({ status: 'partial', interpretation: 'abnormal' });
    expect(lacking.missing_results).toHaveLength(report.missing.length);
    service.clock.move(86_400_000);
    await team.post(`/v3/order/${redraw.id}/test`, { interpretation: 'critical' });
    const whole = (await team.get(path)).json;
    expect(whole.metadata).toMatchObject({ status: 'final', interpretation: 'critical' });
    expect(whole.missing_results).toEqual([]);
    const second = (await team.get(`/v3/order/${redraw.id}/result`)).json;
    const first = (await team.get(`/v3/order/${initial.id}/result`)).json;
    const codes = (results: { slug: string }[]) => results.map(({ slug }) => slug);
    const from = (id: string) =>
      whole.results.filter((each: { source_order_id: string }) => each.source_order_id === id);
    expect(codes(from(redraw.id)).toSorted()).toEqual(codes(second.results).toSorted());
    expect(whole.results).toHaveLength(new Set([...codes(first.results), ...codes(second.results)]).size);
    expect(Object.keys(whole.sample_information)).toHaveLength(2);
    expect(whole.order_transaction.status).toBe('completed');
    expect((await read(team, initial.transaction_id)).status).toBe('completed');
  });

  it('is created once for concurrent identical results', async () => {
    const team = await service.team();
    const id = await walkIn(team, await team.user());
    const report = await lackingReport(team, id);
    const initial = await inside(team, (work) => getOrder(work, id));
    const markerIds = markersToRedraw(initial, report.missing);
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, () => inside(team, (work) => createRedraw(work, initial, { markerIds }))),
    );
    const refused = tries.flatMap((each) => (each.status === 'rejected' ? [each.reason.kind] : []));
    expect(refused).toEqual(Array.from({ length: 7 }, () => 'conflict'));
    expect((await read(team, initial.transaction_id)).orders).toHaveLength(2);
    const after = await inside(team, (work) => getOrder(work, id));
    const again = inside(team, (work) => createRedraw(work, after, { markerIds }));
    await expect(again).rejects.toMatchObject({ kind: 'conflict' });
  });

  it('does not race with a cancellation', async () => {
    const team = await service.team();
    const id = await walkIn(team, await team.user());
    const report = await lackingReport(team, id);
    const initial = await inside(team, (work) => getOrder(work, id));
    const [cancelled, redraw] = await Promise.allSettled([
      inside(team, async (work) => advanceOrder(work, await getOrder(work, id), { to: 'cancelled' })),
      redrawFor(team, initial, report),
    ]);
    expect([cancelled.status, redraw.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    const { orders } = await read(team, initial.transaction_id);
    expect(orders).toHaveLength(redraw.status === 'fulfilled' ? 2 : 1);
  });

  // prettier-ignore
  it.each([
    ['a walk-in at a laboratory that takes them', {},                            'quantity_not_sufficient_failure', [7]],
    ['a failure in the laboratory',               {},                            'internal_lab_failure',            [7]],
    ['what the patient’s state made impossible',  {},                            'patient_condition_failure',       []],
    ['what nobody failed at',                     {},                            'non_failure',                     []],
    ['a reason that nobody knows',                {},                            'unknown_failure',                 []],
    ['another laboratory',                        { lab_slug: 'usspecialty' },   'internal_lab_failure',            []],
    ['another collection',                        { modality: 'testkit' },       'internal_lab_failure',            []],
    ['a redraw',                                  { origin: 'redraw' },          'internal_lab_failure',            []],
    ['a recreation',                              { origin: 'recreation' },      'internal_lab_failure',            []],
  ] as const)('for %s', async (_name, facts, failureType, markers) => {
    const team = await service.team();
    const id = await walkIn(team, await team.user());
    const known = await inside(team, (work) => getOrder(work, id));
    const [missing] = (await lackingReport(team, id)).missing;
    if (!missing) throw new Error('Nothing is missing');
    const one = { ...missing, failureType, markerId: 7 };
    expect(markersToRedraw({ ...known, ...facts }, [one, one])).toEqual(markers);
  });
});
