import { getUser } from '../../users/users.ts';
import { invalidField } from '../../platform/errors.ts';
import { HOUR, isoDay, later } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import type { LabTest } from '../catalog/catalog.ts';
import { listActiveAccounts, resolveAccount, type LabAccount } from '../lab-accounts/lab-accounts.ts';
import { checkAnswers } from './aoe.ts';
import { isNoticeDue, requireBilling } from './billing.ts';
import type { CreateOrder, CreateTestkitOrder } from './commands.ts';
import { insertOrder, newSampleId, nobody, shippingOf, type Placing } from './insert-order.ts';
import { datedConsents, type Order, type OrderPrivate } from './order.ts';
import { getOrderable, orderedTest, requireOnSale, wantedAccount } from './ordered-test.ts';
import { holdNames } from './name-store.ts';
import { patientNameOf, recipientNameOf } from './names.ts';
import { requirePatient } from './patient-rules.ts';
import { namedPhysician, requirePhysician, type Warn } from './physicians.ts';
import { findReplaced, keepsAccount, keptAccount, replaceBy, rowOfRecreation } from './recreate-order.ts';
import { takesNotes } from './requisition.ts';
import * as store from './store.ts';

/**
 * Places an order for a known patient: its lab test, its laboratory account, its rules, its first event.
 * A recreation joins the transaction of the order that it replaces, and ends that one.
 */
export async function placeOrder(work: Work, command: CreateOrder, warn: Warn): Promise<Order> {
  const [user, test, active, eventId, names, replaced] = await Promise.all([
    getUser(work, command.user_id),
    orderedTest(work, command),
    listActiveAccounts(work),
    store.nextEventId(work),
    holdNames(work, namesIn(command)),
    findReplaced(work, command),
  ]);
  requireOnSale(test);
  await requirePatient(work, command.patient_details, test.method);
  requireDayToCome(work, command.activate_by);
  const account = await accountFor(work, { command, test, active, replaced });
  const { physician } = command;
  await requirePhysician(work, { account, labSlug: test.lab.slug, physician, warn });
  const insuranceId = await requireBilling(work, { command, labSlug: test.lab.slug, account });
  const placing: Placing = {
    test,
    eventId,
    names,
    clientUserId: user.clientUserId,
    people: peopleOf(work, command, { test, account }),
    row: {
      user_id: user.id,
      registrable: false,
      lab_account_id: account?.id ?? null,
      physician: physician ? namedPhysician(physician) : null,
      priority: command.priority,
      billing_type: command.billing_type,
      icd_codes: command.icd_codes ?? null,
      activate_by: command.activate_by ?? null,
      passthrough: command.passthrough ?? null,
      health_insurance_id: insuranceId,
      abn_due: await isNoticeDue(work, insuranceId, command.icd_codes ?? []),
      ...(replaced ? rowOfRecreation(replaced) : {}),
    },
  };
  return replaced ? replaceBy(work, replaced, placing) : insertOrder(work, placing);
}

/** Whoever may be named on the order; known before it is known whether something is sent to them. */
const namesIn = ({ patient_details: patient, patient_address: address }: CreateOrder) => [
  patientNameOf({ patient }),
  recipientNameOf({ shipping: shippingOf(patient, address) }),
];

/** Where the day begins last. */
const FARTHEST_WEST_MS = 12 * HOUR;

/** A day that is over everywhere is refused; one that is still today somewhere is today. */
export function requireDayToCome(work: Work, day: string | null | undefined): void {
  if (day == null || day >= isoDay(later(work.now, -FARTHEST_WEST_MS))) return;
  throw invalidField(['body', 'activate_by'], 'expected today or a day in the future');
}

interface Chosen {
  test: LabTest;
  account: LabAccount | undefined;
}

interface Choosing {
  command: CreateOrder;
  test: LabTest;
  active: readonly LabAccount[];
  replaced: Order | undefined;
}

async function accountFor(
  work: Work,
  { command, test, active, replaced }: Choosing,
): Promise<LabAccount | undefined> {
  const keeps = replaced !== undefined && keepsAccount(command);
  const wantedId = keeps ? keptAccount(replaced, command) : wantedAccount(command);
  if (keeps && wantedId === null) return undefined;
  return resolveAccount(work, {
    labSlug: test.lab.slug,
    wantedId,
    billingType: command.billing_type,
    state: command.patient_address.state,
    active,
  });
}

function peopleOf(work: Work, command: CreateOrder, chosen: Chosen): OrderPrivate {
  const { test } = chosen;
  return {
    patient: command.patient_details,
    address: command.patient_address,
    shipping: test.method === 'testkit' ? shippingOf(command.patient_details, command.patient_address) : null,
    clinicalNotes: notesOf(chosen, command.clinical_notes ?? null),
    aoeAnswers: checkAnswers(test, command.aoe_answers ?? []),
    consents: datedConsents(work.now, command.consents),
    ...(command.update_reason == null ? {} : { updateReason: command.update_reason }),
  };
}

/** The account's standing comments and the order's own, where the laboratory has a place for both. */
function notesOf({ test, account }: Chosen, own: string | null): string | null {
  if (!takesNotes(test.lab.slug)) return own;
  return [account?.defaultClinicalNotes, own].filter((note) => note).join('\n') || null;
}

/**
 * Sends a kit that its patient registers later by the sample id on it. Nobody is there to answer a question at order
 * entry: those that have a default are answered by it, and a required one without is a 400.
 */
export async function placeTestkitOrder(work: Work, command: CreateTestkitOrder): Promise<Order> {
  const [user, test, active] = await Promise.all([
    getUser(work, command.user_id),
    getOrderable(work, command.lab_test_id, 'testkit'),
    listActiveAccounts(work),
  ]);
  requireOnSale(test);
  const account = await resolveAccount(work, {
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
      ...nobody,
      shipping: command.shipping_details,
      clinicalNotes: notesOf({ test, account }, null),
      aoeAnswers: checkAnswers(test, []),
    },
    row: {
      user_id: user.id,
      registrable: true,
      sample_id: newSampleId(),
      lab_account_id: account?.id ?? null,
      passthrough: command.passthrough ?? null,
    },
  });
}
