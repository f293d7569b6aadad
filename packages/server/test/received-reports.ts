import { randomUUID } from 'node:crypto';
import type { ReceivedObservation, ReceivedReport, RequestedTest } from '../src/adapters/lab-network/port.ts';
import { inTenant } from '../src/app.ts';
import { receiveReport } from '../src/laboratories/incoming-results/incoming-results.ts';
import { getOrder, buildRequisition, type Order } from '../src/ordering/orders/orders.ts';
import { order as orderBody, patient } from './examples.ts';
import type { TestService, TestTeam } from './service.ts';

/** An order with its requested tests, from which a report can be created. */
export interface OrderWithTests {
  readonly order: Order;
  readonly tests: readonly RequestedTest[];
}

interface TestOrderOptions {
  readonly userId: string;
  readonly lab?: string;
  readonly method?: string;
  /** Number of markers. */
  readonly markers?: number;
  readonly person?: Partial<typeof patient>;
  /** The step that the order is simulated to. */
  readonly step?: string;
}

const PHYSICIAN = { physician: { first_name: 'Mary', last_name: 'Putnam', npi: '1234567893' } };

/** Places an order of single markers and simulates it to a step, by default `requisition_created`. */
export async function placeOrder(
  service: TestService,
  team: TestTeam,
  wanted: TestOrderOptions,
): Promise<OrderWithTests> {
  const { userId, lab = 'labcorp', method = 'walk_in_test', markers = 2, person = {}, step } = wanted;
  const { rows } = await service.ownerPool.query<{ id: number }>(
    `select m.id from marker m join lab l on l.id = m.lab_id
     where l.slug = $1 and m.type = 'biomarker' and m.a_la_carte_enabled and m.is_orderable and m.aoe is null
     order by m.id limit $2`,
    [lab, markers],
  );
  const { lab_test_id: _none, ...rest } = orderBody(userId, '');
  const answer = await team.post('/v3/order', {
    ...rest,
    ...PHYSICIAN,
    patient_details: { ...patient, ...person },
    order_set: { add_on: { marker_ids: rows.map(({ id }) => id) } },
    collection_method: method,
  });
  if (answer.status !== 200) throw new Error(answer.text);
  const id: string = answer.json.order.id;
  if (step !== 'ordered') {
    const walked = await team.post(`/v3/order/${id}/test?final_status=${step ?? 'requisition_created'}`);
    if (walked.status !== 200) throw new Error(walked.text);
  }
  return readOrderWithTests(service, team, id);
}

export const readOrderWithTests = (
  service: TestService,
  team: TestTeam,
  id: string,
): Promise<OrderWithTests> =>
  inTenant(service.app, team.tenant, async (work) => {
    const order = await getOrder(work, id);
    return { order, tests: (await buildRequisition(work, order)).tests };
  });

/** A laboratory's report for an order: every expected result is normal, the patient matches. */
export function reportOf(
  { order, tests }: OrderWithTests,
  change: Partial<ReceivedReport> = {},
): ReceivedReport {
  const { patient: person } = order.private;
  return {
    lab: order.lab_slug,
    accountNumber: null,
    controlId: `MSG-${randomUUID()}`,
    placerOrderId: order.id,
    sampleIds: order.sample_id === null ? [] : [order.sample_id],
    status: 'final',
    patient: person && {
      firstName: person.first_name.toUpperCase(),
      lastName: person.last_name.toUpperCase(),
      dob: person.dob,
      gender: person.gender === 'male' ? 'male' : 'female',
      patientId: null,
    },
    collectedAt: order.created_at,
    receivedAt: order.created_at,
    reportedAt: new Date(order.created_at.getTime() + 86_400_000),
    laboratory: 'Laboratory of the test',
    clia: null,
    observations: tests.flatMap((test) => observationsOf(test)),
    notes: [],
    ...change,
  };
}

export const observationsOf = (test: RequestedTest, change: Partial<ReceivedObservation> = {}) =>
  test.expected.map((expected): ReceivedObservation => {
    const isNumber = expected.kind === 'numeric';
    const middle = ((expected.low ?? 0) + (expected.high ?? (expected.low ?? 0) + 2)) / 2;
    return {
      test: { code: test.providerId, name: test.name, loinc: null },
      code: expected.providerId,
      name: expected.name,
      loinc: expected.loinc,
      form: isNumber ? 'number' : 'text',
      value: isNumber ? String(middle) : (expected.normalText ?? 'Negative'),
      unit: expected.unit,
      referenceRange: expected.rangeText,
      flags: [],
      status: 'final',
      notes: [],
      performingLaboratory: null,
      observedAt: null,
      ...change,
    };
  });

/** Creates a result that needs human review: it names no order, but its patient has one. */
export async function createUnmatchedResult(
  service: TestService,
  team: TestTeam,
): Promise<{ id: string; orderId: string }> {
  const ordered = await placeOrder(service, team, { userId: await team.user() });
  const report = reportOf(ordered, { placerOrderId: null, sampleIds: ['UNKNOWN'] });
  const taken = await inTenant(service.app, team.tenant, (work) =>
    receiveReport(work, report, { messageId: 'of a test' }),
  );
  if (taken.outcome !== 'review') throw new Error(`Expected a review, got ${taken.outcome}`);
  return { id: taken.resultId, orderId: ordered.order.id };
}
