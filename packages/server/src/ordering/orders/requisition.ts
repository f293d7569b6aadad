import type {
  RequestedTest,
  Requisition,
  RequisitionAddress,
  RequisitionInsurance,
} from '../../adapters/lab-network/port.ts';
import { findInsurance, formatIcdCode } from '../../users/insurance/insurance.ts';
import type { Work } from '../../platform/work.ts';
import { getLabTest, type Marker } from '../catalog/catalog.ts';
import { findOrderLabAccount } from './account.ts';
import type { Order } from './order.ts';
import type { OrderPhysician } from './physicians.ts';

/** Builds the requisition: the ordered markers with their expected results, the patient, and the billing data. */
export async function buildRequisition(
  work: Work,
  order: Order,
  physician?: OrderPhysician,
): Promise<Requisition> {
  const [test, account, insurance] = await Promise.all([
    getLabTest(work, order.lab_test_id),
    findOrderLabAccount(work, order),
    insuranceOf(work, order),
  ]);
  const { patient } = order.private;
  return {
    tenant: work.tenant,
    orderId: order.id,
    lab: order.lab_slug,
    laboratory: { clia: test.lab.clia, director: test.lab.director },
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
    icdCodes: order.icd_codes && [...new Set(order.icd_codes.map(formatIcdCode))],
    tests: test.markers.map((marker) => ({
      markerId: marker.id,
      providerId: marker.providerId,
      name: marker.name,
      slug: marker.slug,
      expected: marker.expectedResults,
      answers: answersOf(order, marker),
    })),
    ...(physician ? { physician: physicianFields(physician) } : {}),
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

/** The answers to this marker's questions at order entry, with the laboratory's question codes. */
const answersOf = (order: Order, { id, aoe }: Marker): NonNullable<RequestedTest['answers']> =>
  (aoe?.questions ?? []).flatMap(({ id: questionId, code, value: question }) =>
    order.private.aoeAnswers
      .filter(({ marker_id, question_id }) => marker_id === id && question_id === questionId)
      .map(({ answer }) => ({ code, question, answer })),
  );

const physicianFields = (physician: OrderPhysician) => ({
  firstName: physician.first_name,
  lastName: physician.last_name,
  npi: physician.npi,
});

const CLINICAL_NOTES_LABS = new Set(['labcorp', 'quest', 'sonora_quest', 'bioreference']);

/** Whether the laboratory prints clinical comments on its requisitions. */
export const acceptsClinicalNotes = (labSlug: string): boolean => CLINICAL_NOTES_LABS.has(labSlug);

/** The clinical comments on the requisition: the account's defaults, then the order's own. */
export const requisitionNotes = (order: Order): string | null =>
  acceptsClinicalNotes(order.lab_slug) ? order.private.clinicalNotes : null;
