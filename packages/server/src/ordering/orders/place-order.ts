import { getUser } from '../../users/users/users.ts';
import { invalidField } from '../../platform/errors.ts';
import { HOUR, isoDay, later } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import type { LabTest } from '../catalog/catalog.ts';
import { listActiveAccounts, resolveLabAccount, type LabAccount } from '../lab-accounts/lab-accounts.ts';
import { completeAoeAnswers } from './aoe.ts';
import { isAbnRequired, resolveBillingInsurance } from './billing.ts';
import type { CreateOrder, CreateTestkitOrder } from './commands.ts';
import {
  insertOrder,
  generateSampleId,
  unknownPatient,
  toShippingAddress,
  type OrderPlacement,
} from './insert-order.ts';
import { dateConsents, type Order, type OrderPrivate } from './order.ts';
import {
  getOrderableTest,
  resolveOrderedTest,
  requireOrderableMarkers,
  requestedAccountId,
} from './ordered-test.ts';
import { lockNames } from './name-store.ts';
import { patientNameOf, recipientNameOf } from './names.ts';
import { requireEligiblePatient } from './patient-rules.ts';
import { serializePhysician, requirePhysician, type WarningReporter } from './physicians.ts';
import {
  lockReplacedOrder,
  keepsLabAccount,
  keptLabAccountId,
  insertRecreation,
  recreationColumns,
} from './recreate-order.ts';
import { acceptsClinicalNotes } from './requisition.ts';
import { nextEventId } from './event-store.ts';

/**
 * Places an order for a known patient: resolves the lab test and the lab account, checks the ordering rules, and
 * inserts the order with its first event. A recreation joins the transaction of the order that it replaces, and cancels
 * that.
 */
export async function placeOrder(work: Work, command: CreateOrder, warn: WarningReporter): Promise<Order> {
  const [user, test, active, eventId, names, replaced] = await Promise.all([
    getUser(work, command.user_id),
    resolveOrderedTest(work, command),
    listActiveAccounts(work),
    nextEventId(work),
    lockNames(work, namesOnOrder(command)),
    lockReplacedOrder(work, command),
  ]);
  requireOrderableMarkers(test);
  await requireEligiblePatient(work, command.patient_details, test.method);
  requireFutureDay(work, command.activate_by);
  const account = await selectLabAccount(work, { command, test, active, replaced });
  const { physician } = command;
  await requirePhysician(work, { account, labSlug: test.lab.slug, physician, warn });
  const insuranceId = await resolveBillingInsurance(work, { command, labSlug: test.lab.slug, account });
  const placing: OrderPlacement = {
    test,
    eventId,
    names,
    clientUserId: user.clientUserId,
    people: buildPrivateData(work, command, { test, account }),
    row: {
      user_id: user.id,
      registrable: false,
      lab_account_id: account?.id ?? null,
      physician: physician ? serializePhysician(physician) : null,
      priority: command.priority,
      billing_type: command.billing_type,
      icd_codes: command.icd_codes ?? null,
      activate_by: command.activate_by ?? null,
      passthrough: command.passthrough ?? null,
      health_insurance_id: insuranceId,
      abn_due: await isAbnRequired(work, insuranceId, command.icd_codes ?? []),
      ...(replaced ? recreationColumns(replaced) : {}),
    },
  };
  return replaced ? insertRecreation(work, replaced, placing) : insertOrder(work, placing);
}

/** All names that the order may contain. Whether a kit is shipped to the recipient is not known yet. */
const namesOnOrder = ({ patient_details: patient, patient_address: address }: CreateOrder) => [
  patientNameOf({ patient }),
  recipientNameOf({ shipping: toShippingAddress(patient, address) }),
];

/** The westernmost UTC offset, where each day begins last. */
const WESTERNMOST_OFFSET_MS = 12 * HOUR;

/** A 422 for a day that is over in every time zone. A day that is still today somewhere is accepted. */
export function requireFutureDay(work: Work, day: string | null | undefined): void {
  if (day == null || day >= isoDay(later(work.now, -WESTERNMOST_OFFSET_MS))) return;
  throw invalidField(['body', 'activate_by'], 'expected today or a day in the future');
}

interface ResolvedTest {
  test: LabTest;
  account: LabAccount | undefined;
}

interface AccountSelection {
  command: CreateOrder;
  test: LabTest;
  active: readonly LabAccount[];
  replaced: Order | undefined;
}

async function selectLabAccount(
  work: Work,
  { command, test, active, replaced }: AccountSelection,
): Promise<LabAccount | undefined> {
  const keeps = replaced !== undefined && keepsLabAccount(command);
  const wantedId = keeps ? keptLabAccountId(replaced, command) : requestedAccountId(command);
  if (keeps && wantedId === null) return undefined;
  return resolveLabAccount(work, {
    labSlug: test.lab.slug,
    wantedId,
    billingType: command.billing_type,
    state: command.patient_address.state,
    active,
  });
}

function buildPrivateData(work: Work, command: CreateOrder, chosen: ResolvedTest): OrderPrivate {
  const { test } = chosen;
  return {
    patient: command.patient_details,
    address: command.patient_address,
    shipping:
      test.method === 'testkit' ? toShippingAddress(command.patient_details, command.patient_address) : null,
    clinicalNotes: combineClinicalNotes(chosen, command.clinical_notes ?? null),
    aoeAnswers: completeAoeAnswers(test, command.aoe_answers ?? []),
    consents: dateConsents(work.now, command.consents),
    ...(command.update_reason == null ? {} : { updateReason: command.update_reason }),
  };
}

/** The account's default comments followed by the order's own, if the laboratory prints comments. */
function combineClinicalNotes({ test, account }: ResolvedTest, own: string | null): string | null {
  if (!acceptsClinicalNotes(test.lab.slug)) return own;
  return [account?.defaultClinicalNotes, own].filter((note) => note).join('\n') || null;
}

/**
 * Orders a kit that the patient registers later by the sample id on it. Questions at order entry get their defaults; a
 * required question without a default is a 400.
 */
export async function placeTestkitOrder(work: Work, command: CreateTestkitOrder): Promise<Order> {
  const [user, test, active] = await Promise.all([
    getUser(work, command.user_id),
    getOrderableTest(work, command.lab_test_id, 'testkit'),
    listActiveAccounts(work),
  ]);
  requireOrderableMarkers(test);
  const account = await resolveLabAccount(work, {
    labSlug: test.lab.slug,
    wantedId: command.lab_account_id ?? null,
    billingType: 'client_bill',
    state: command.shipping_details.state,
    active,
  });
  return insertOrder(work, {
    test,
    clientUserId: user.clientUserId,
    people: {
      ...unknownPatient,
      shipping: command.shipping_details,
      clinicalNotes: combineClinicalNotes({ test, account }, null),
      aoeAnswers: completeAoeAnswers(test, []),
    },
    row: {
      user_id: user.id,
      registrable: true,
      sample_id: generateSampleId(),
      lab_account_id: account?.id ?? null,
      passthrough: command.passthrough ?? null,
    },
  });
}
