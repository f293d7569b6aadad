import { DomainError, invalidField } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getLabTest, resolveOrderSet, type LabTest } from '../catalog/catalog.ts';
import { getLabAccount } from '../lab-accounts/lab-accounts.ts';
import type { CreateOrder } from './commands.ts';

type Wanted = Pick<CreateOrder, 'order_set' | 'collection_method' | 'lab_account_id'> &
  Partial<Pick<CreateOrder, 'lab_test_id'>>;

/** The one lab test that holds all that is ordered, by `order_set` or by the older `lab_test_id`. */
export async function orderedTest(work: Work, command: Wanted): Promise<LabTest> {
  const { order_set: set, lab_test_id: labTestId } = command;
  if (set == null && labTestId == null) {
    throw invalidField(['body', 'order_set'], 'expected order_set or lab_test_id');
  }
  if (set != null && labTestId != null) {
    throw new DomainError('bad_request', 'Only one of order_set and lab_test_id may be given');
  }
  if (set == null) return getOrderable(work, labTestId ?? '', command.collection_method ?? null);
  const accountId = wantedAccount(command);
  return resolveOrderSet(work, {
    labSlug: accountId === null ? null : (await getLabAccount(work, accountId)).labSlug,
    labTestIds: set.lab_test_ids ?? [],
    addOn: set.add_on ? { markerIds: set.add_on.marker_ids, providerIds: set.add_on.provider_ids } : null,
    collectionMethod: command.collection_method ?? null,
  });
}

/** The lab account that the caller names, in the order or in its set. */
export function wantedAccount(command: Pick<Wanted, 'order_set' | 'lab_account_id'>): string | null {
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

/** The team's lab test, if it can be ordered and is collected in this way. */
export async function getOrderable(work: Work, id: string, method: string | null): Promise<LabTest> {
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

/** A lab test outlives the markers that it was made of: what its laboratory has taken out of sale is a 400. */
export function requireOnSale({ markers }: LabTest): void {
  const gone = markers.find((marker) => !marker.isOrderable);
  if (!gone) return;
  const name = `Marker ${gone.id} (${gone.name})`;
  throw new DomainError('bad_request', `${name} of the lab test cannot be ordered any more`);
}
