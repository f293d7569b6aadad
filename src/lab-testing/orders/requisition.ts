import type { Requisition } from '../../adapters/lab-network/port.ts';
import type { Work } from '../../platform/work.ts';
import { getLabTest } from '../catalog/catalog.ts';
import { accountOf } from './account.ts';
import type { Order } from './order.ts';
import type { OrderPhysician } from './physicians.ts';

/** What the laboratory is asked for: the ordered markers with what they are expected to report. */
export async function requisitionOf(
  work: Work,
  order: Order,
  physician?: OrderPhysician,
): Promise<Requisition> {
  const [test, account] = await Promise.all([getLabTest(work, order.lab_test_id), accountOf(work, order)]);
  const { patient } = order.private;
  return {
    orderId: order.id,
    lab: order.lab_slug,
    accountNumber: account?.providerAccountId ?? null,
    patient: {
      firstName: patient?.first_name ?? '',
      lastName: patient?.last_name ?? '',
      dob: patient?.dob ?? '',
      gender: patient?.gender ?? 'unknown',
    },
    tests: test.markers.map((marker) => ({
      markerId: marker.id,
      providerId: marker.providerId,
      name: marker.name,
      slug: marker.slug,
      expected: marker.expectedResults,
    })),
    ...(physician ? { physician: namesOf(physician) } : {}),
    clinicalNotes: requisitionNotes(order),
    priority: order.priority,
  };
}

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
