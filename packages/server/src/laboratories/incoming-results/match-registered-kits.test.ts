import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patient, registration, shipping } from '../../../test/examples.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { readOrderWithTests, reportOf } from '../../../test/received-reports.ts';
import type { ReceivedPatient, ReceivedReport } from '../../adapters/lab-network/port.ts';
import { inTenant } from '../../app.ts';
import { receiveReport } from './incoming-results.ts';

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
});
afterAll(() => service.close());

const holder: ReceivedPatient = {
  firstName: patient.first_name,
  lastName: patient.last_name,
  dob: patient.dob,
  gender: 'female',
  patientId: null,
};

/** A kit that was sent to somebody, at the step where the laboratory has it, and that nobody has registered. */
async function blankKit(): Promise<{ id: string; userId: string; sampleId: string }> {
  const userId = await team.user();
  const tests = await team.get('/v3/lab_test?collection_method=testkit');
  const kit = await team.post('/v3/order/testkit', {
    user_id: userId,
    lab_test_id: (Array.isArray(tests.json.data) ? tests.json.data : tests.json)[0].id,
    shipping_details: shipping,
  });
  const { id } = kit.json.order;
  const { order } = await readOrderWithTests(service, team, id);
  const sampleId = order.sample_id ?? `KIT-${id}`;
  await service.ownerPool.query('update lab_order set sample_id = $1 where id = $2', [sampleId, id]);
  return { id, userId, sampleId };
}

async function report(kit: { id: string }, change: Partial<ReceivedReport> = {}): Promise<string> {
  const ordered = await readOrderWithTests(service, team, kit.id);
  const taken = await inTenant(service.app, team.tenant, (work) =>
    receiveReport(work, reportOf(ordered, { patient: holder, placerOrderId: null, ...change }), {
      messageId: 'm',
    }),
  );
  if (taken.outcome !== 'review') throw new Error(`Expected a review, got ${taken.outcome}`);
  await service.settle();
  return taken.resultId;
}

async function register({ sampleId, userId }: { sampleId: string; userId: string }): Promise<void> {
  const answer = await team.post('/v3/order/testkit/register', registration(sampleId, userId));
  expect(answer.status, answer.text).toBe(200);
  await service.settle();
}

const reviewOf = async (id: string) => (await team.get(`/v3/unmatched_result/${id}`)).json;
const rowOf = async (id: string) =>
  (await service.ownerPool.query('select * from incoming_result where id = $1', [id])).rows[0];
const resultOf = async (id: string) => (await team.get(`/v3/order/${id}/result`)).json;

describe('a report that came before its kit was registered', () => {
  it('is attached when the kit is registered for the person whom it names', async () => {
    const kit = await blankKit();
    const id = await report(kit);
    expect((await reviewOf(id)).reason).toContain('is not registered');
    await register(kit);
    expect(await reviewOf(id)).toMatchObject({ status: 'matched' });
    expect(await rowOf(id)).toMatchObject({
      order_id: kit.id,
      decision_code: 'match_sample_id',
      awaits_kit: null,
      reviewed_by: null,
    });
    expect((await resultOf(kit.id)).metadata.status).toBe('final');
    const waiting = (await team.get('/v3/unmatched_result')).json.data;
    expect(waiting.some((one: { id: string }) => one.id === id)).toBe(false);
  });

  it('stays in review when the kit is registered for somebody else, and says so', async () => {
    const kit = await blankKit();
    const id = await report(kit, {
      patient: { ...holder, firstName: 'Grace', lastName: 'Hopper', dob: '1906-12-09' },
    });
    await register(kit);
    const review = await reviewOf(id);
    expect(review.status).toBe('pending_customer_review');
    expect(review.reason).toContain('does not match with certainty');
    expect(await rowOf(id)).toMatchObject({ order_id: null, awaits_kit: null });
  });

  it('comes in parts: all are attached in the order in which they came, each once', async () => {
    const kit = await blankKit();
    const parts = [await report(kit, { status: 'partial' }), await report(kit)];
    await register(kit);
    const rows = await Promise.all(parts.map(rowOf));
    expect(rows.map(({ status, version }) => [status, version])).toEqual([
      ['matched', 1],
      ['matched', 2],
    ]);
    expect((await resultOf(kit.id)).metadata.status).toBe('final');
  });

  it('that a person has rejected stays rejected', async () => {
    const kit = await blankKit();
    const id = await report(kit);
    await team.post(`/v3/unmatched_result/${id}/resolve`, { action: 'reject' });
    await register(kit);
    expect(await rowOf(id)).toMatchObject({ status: 'resolved', order_id: null });
  });

  it('waits on while another kit is registered', async () => {
    const kit = await blankKit();
    const id = await report(kit);
    await register(await blankKit());
    expect(await rowOf(id)).toMatchObject({ status: 'pending_customer_review', awaits_kit: kit.id });
  });
});
