import type {
  RequestedTest,
  Requisition,
  RequisitionAddress,
  RequisitionInsurance,
} from '../../adapters/lab-network/port.ts';
import { findInsurance, writtenCode } from '../../insurance/insurance.ts';
import type { Work } from '../../platform/work.ts';
import { getLabTest, type Marker } from '../catalog/catalog.ts';
import { accountOf } from './account.ts';
import type { Order } from './order.ts';
import type { OrderPhysician } from './physicians.ts';

/** What the laboratory is asked for: the ordered markers with what they are expected to report. */
export async function requisitionOf(
  work: Work,
  order: Order,
  physician?: OrderPhysician,
): Promise<Requisition> {
  const [test, account, insurance] = await Promise.all([
    getLabTest(work, order.lab_test_id),
    accountOf(work, order),
    insuranceOf(work, order),
  ]);
  const { patient } = order.private;
  return {
    tenant: work.tenant,
    orderId: order.id,
    lab: order.lab_slug,
    accountNumber: account?.providerAccountId ?? null,
    patient: {
      firstName: patient?.first_name ?? '',
      lastName: patient?.last_name ?? '',
      dob: patient?.dob ?? '',
      gender: patient?.gender ?? 'unknown',
      id: order.user_id,
      phone: patient?.phone_number ?? null,
      address: addressOf(order),
    },
    sampleId: order.sample_id,
    insurance,
    icdCodes: order.icd_codes && [...new Set(order.icd_codes.map(writtenCode))],
    tests: test.markers.map((marker) => ({
      markerId: marker.id,
      providerId: marker.providerId,
      name: marker.name,
      slug: marker.slug,
      expected: marker.expectedResults,
      answers: answersOf(order, marker),
    })),
    ...(physician ? { physician: namesOf(physician) } : {}),
    clinicalNotes: requisitionNotes(order),
    priority: order.priority,
  };
}

async function insuranceOf(work: Work, order: Order): Promise<RequisitionInsurance | null> {
  const id = order.health_insurance_id;
  const found = id === null ? undefined : await findInsurance(work, id);
  if (!found) return null;
  const { insured, company } = found;
  return {
    payorCode: found.payor_code,
    company: company.name,
    memberId: found.member_id,
    groupId: found.group_id,
    relationship: found.relationship,
    insured: { firstName: insured.first_name, lastName: insured.last_name, dob: insured.dob },
  };
}

function addressOf({ private: { address } }: Order): RequisitionAddress | null {
  if (!address) return null;
  const { first_line: firstLine, second_line: secondLine, city, state, zip, country } = address;
  return { firstLine, secondLine: secondLine ?? null, city, state, zip, country };
}

/** The answers at order entry to the questions of this marker, in the laboratory's terms. */
const answersOf = (order: Order, { id, aoe }: Marker): NonNullable<RequestedTest['answers']> =>
  (aoe?.questions ?? []).flatMap(({ id: questionId, code, value: question }) =>
    order.private.aoeAnswers
      .filter(({ marker_id, question_id }) => marker_id === id && question_id === questionId)
      .map(({ answer }) => ({ code, question, answer })),
  );

const namesOf = (physician: OrderPhysician) => ({
  firstName: physician.first_name,
  lastName: physician.last_name,
  npi: physician.npi,
});

const NOTED_LABS = new Set(['labcorp', 'quest', 'sonora_quest', 'bioreference']);

/** Whether the laboratory prints clinical comments on its requisition; the others have no place for them. */
export const takesNotes = (labSlug: string): boolean => NOTED_LABS.has(labSlug);

/** The clinical comments as the requisition has them, the account's standing ones first. */
export const requisitionNotes = (order: Order): string | null =>
  takesNotes(order.lab_slug) ? order.private.clinicalNotes : null;
