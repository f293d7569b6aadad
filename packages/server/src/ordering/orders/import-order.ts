import { findCoverage } from '../../users/insurance/insurance.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users/users.ts';
import { listActiveAccounts, resolveLabAccount } from '../lab-accounts/lab-accounts.ts';
import type { ImportOrder } from './commands.ts';
import { insertOrder, unknownPatient, toShippingAddress } from './insert-order.ts';
import type { Order } from './order.ts';
import { resolveOrderedTest, requestedAccountId } from './ordered-test.ts';
import { requireEligiblePatient } from './patient-rules.ts';
import { serializePhysician, requirePhysician, type WarningReporter } from './physicians.ts';
import { isSampleIdTaken, lockSampleId } from './sample-store.ts';

/**
 * Imports an order that the laboratory already has under its own sample id. No requisition is requested, so the order
 * starts at `requisition_bypassed`. Address and billing are stored as given, without validation, and no questions at
 * order entry are asked. 400 if another order at this laboratory has the same sample id.
 */
export async function importOrder(work: Work, command: ImportOrder, warn: WarningReporter): Promise<Order> {
  const { patient_details: patient, patient_address: address, physician, sample_id: sampleId } = command;
  const [user, test, active, coverage] = await Promise.all([
    getUser(work, command.user_id),
    resolveOrderedTest(work, command),
    listActiveAccounts(work),
    command.billing_type === 'commercial_insurance' ? findCoverage(work, command.user_id) : undefined,
  ]);
  await requireEligiblePatient(work, patient, test.method);
  const account = await resolveLabAccount(work, {
    labSlug: test.lab.slug,
    wantedId: requestedAccountId(command),
    billingType: command.billing_type,
    state: address.state,
    acceptPending: true,
    active,
  });
  await requirePhysician(work, { account, labSlug: test.lab.slug, physician, warn });
  await lockSampleId(work, sampleId);
  if (await isSampleIdTaken(work, { labId: test.lab.id, sampleId })) {
    throw new DomainError('bad_request', `Sample id ${sampleId} is already in use at ${test.lab.slug}`);
  }
  return insertOrder(work, {
    test,
    clientUserId: user.clientUserId,
    people: {
      ...unknownPatient,
      patient,
      address,
      shipping: test.method === 'testkit' ? toShippingAddress(patient, address) : null,
    },
    row: {
      user_id: user.id,
      registrable: false,
      step: 'requisition_bypassed',
      sample_id: sampleId,
      lab_account_id: account?.id ?? null,
      physician: physician ? serializePhysician(physician) : null,
      billing_type: command.billing_type,
      health_insurance_id: coverage?.id ?? null,
    },
  });
}
