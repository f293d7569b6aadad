import { findCoverage } from '../../insurance/insurance.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users.ts';
import { listActiveAccounts, resolveAccount } from '../lab-accounts/lab-accounts.ts';
import type { ImportOrder } from './commands.ts';
import { insertOrder, nobody, shippingOf } from './insert-order.ts';
import type { Order } from './order.ts';
import { orderedTest, wantedAccount } from './ordered-test.ts';
import { requirePatient } from './patient-rules.ts';
import { namedPhysician, requirePhysician, type Warn } from './physicians.ts';
import { isSampleTaken, lockSample } from './sample-store.ts';

/**
 * Takes over an order that the laboratory has already under its own sample id: nothing is requested from it, so the
 * order begins at `requisition_bypassed`. The address is kept as it is, the billing as the laboratory has it, and no
 * question at order entry is asked again. 400 when an order of this laboratory carries the sample id.
 */
export async function importOrder(work: Work, command: ImportOrder, warn: Warn): Promise<Order> {
  const { patient_details: patient, patient_address: address, physician, sample_id: sampleId } = command;
  const [user, test, active, coverage] = await Promise.all([
    getUser(work, command.user_id),
    orderedTest(work, command),
    listActiveAccounts(work),
    command.billing_type === 'commercial_insurance' ? findCoverage(work, command.user_id) : undefined,
  ]);
  await requirePatient(work, patient, test.method);
  const account = await resolveAccount(work, {
    labSlug: test.lab.slug,
    wantedId: wantedAccount(command),
    billingType: command.billing_type,
    state: address.state,
    acceptPending: true,
    active,
  });
  await requirePhysician(work, { account, labSlug: test.lab.slug, physician, warn });
  await lockSample(work, sampleId);
  if (await isSampleTaken(work, { labId: test.lab.id, sampleId })) {
    throw new DomainError('bad_request', `Sample id ${sampleId} is already in use at ${test.lab.slug}`);
  }
  return insertOrder(work, {
    test,
    clientUserId: user.clientUserId,
    people: {
      ...nobody,
      patient,
      address,
      shipping: test.method === 'testkit' ? shippingOf(patient, address) : null,
    },
    row: {
      user_id: user.id,
      registrable: false,
      step: 'requisition_bypassed',
      sample_id: sampleId,
      lab_account_id: account?.id ?? null,
      physician: physician ? namedPhysician(physician) : null,
      billing_type: command.billing_type,
      health_insurance_id: coverage?.id ?? null,
    },
  });
}
