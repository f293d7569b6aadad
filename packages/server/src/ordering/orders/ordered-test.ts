import { DomainError, invalidField } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getLabTest, resolveOrderSet, type LabTest } from '../catalog/catalog.ts';
import { getLabAccount } from '../lab-accounts/lab-accounts.ts';
import type { CreateOrder } from './commands.ts';

type OrderSelection = Pick<CreateOrder, 'order_set' | 'collection_method' | 'lab_account_id'> &
  Partial<Pick<CreateOrder, 'lab_test_id'>>;

/** The single lab test that contains everything ordered, from `order_set` or the older `lab_test_id`. */
export async function resolveOrderedTest(work: Work, command: OrderSelection): Promise<LabTest> {
  const { order_set: set, lab_test_id: labTestId } = command;
  if (set == null && labTestId == null) {
    throw invalidField(['body', 'order_set'], 'expected order_set or lab_test_id');
  }
  if (set != null && labTestId != null) {
    throw new DomainError('bad_request', 'Only one of order_set and lab_test_id may be given');
  }
  if (set == null) return getOrderableTest(work, labTestId ?? '', command.collection_method ?? null);
  const accountId = requestedAccountId(command);
  return resolveOrderSet(work, {
    labSlug: accountId === null ? null : (await getLabAccount(work, accountId)).labSlug,
    labTestIds: set.lab_test_ids ?? [],
    addOn: set.add_on ? { markerIds: set.add_on.marker_ids, providerIds: set.add_on.provider_ids } : null,
    collectionMethod: command.collection_method ?? null,
  });
}

/** The lab account id in the request: of the order, or of its order set. */
export function requestedAccountId(
  command: Pick<OrderSelection, 'order_set' | 'lab_account_id'>,
): string | null {
  const own = command.lab_account_id ?? null;
  const ofSet = command.order_set?.lab_account_id ?? null;
  if (own !== null && ofSet !== null && own.toLowerCase() !== ofSet.toLowerCase()) {
    throw new DomainError(
      'bad_request',
      'lab_account_id and order_set.lab_account_id name different accounts',
    );
  }
  return own ?? ofSet;
}

/** The team's lab test. 400 unless it is active and uses this collection method (null allows any). */
export async function getOrderableTest(work: Work, id: string, method: string | null): Promise<LabTest> {
  const test = await getLabTest(work, id);
  if (test.status !== 'active') throw new DomainError('bad_request', `Lab test ${test.name} is not active`);
  if (method !== null && method !== test.method) {
    throw new DomainError(
      'bad_request',
      `Lab test ${test.name} is collected by ${test.method}, not by ${method}`,
    );
  }
  return test;
}

/** A lab test can outlive its markers: 400 if the laboratory no longer offers one of them. */
export function requireOrderableMarkers({ markers }: LabTest): void {
  const gone = markers.find((marker) => !marker.isOrderable);
  if (!gone) return;
  const name = `Marker ${gone.id} (${gone.name})`;
  throw new DomainError('bad_request', `${name} of the lab test can no longer be ordered`);
}
