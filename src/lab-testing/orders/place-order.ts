import { randomBytes } from 'node:crypto';
import { emit } from '../../events/events.ts';
import { getUser } from '../../users/users.ts';
import type { PatientAddress, PatientDetails, ShippingAddress } from '../../people/schema.ts';
import { ageAt, isNpi, requirePastDob } from '../../people/schema.ts';
import { teamSettings } from '../../management/management.ts';
import { DomainError, invalidField } from '../../platform/errors.ts';
import { isoDay } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import { getLabTest, resolveOrderSet, snapshotOf, type LabTest } from '../catalog/catalog.ts';
import {
  getLabAccount,
  listActiveAccounts,
  resolveAccount,
  type LabAccount,
} from '../lab-accounts/lab-accounts.ts';
import { checkAnswers } from './aoe.ts';
import { requireBilling } from './billing.ts';
import type { CreateOrder, CreateTestkitOrder } from './commands.ts';
import { orderCreated } from './events.ts';
import { datedConsents, subjectOfOrder, type Order, type OrderPrivate } from './order.ts';
import { viewOrder } from './view.ts';
import * as store from './store.ts';

/** What the caller is to be told although the order was taken. */
export type Warn = (message: string) => void;

/** Places an order for a known patient: its lab test, its laboratory account, its rules, its first event. */
export async function placeOrder(work: Work, command: CreateOrder, warn: Warn): Promise<Order> {
  const [user, test, active, eventId] = await Promise.all([
    getUser(work, command.user_id),
    orderedTest(work, command),
    listActiveAccounts(work),
    store.nextEventId(work),
  ]);
  await requirePatient(work, command.patient_details, test);
  const account = await resolveAccount(work, {
    labSlug: test.lab.slug,
    wantedId: command.lab_account_id ?? command.order_set?.lab_account_id ?? null,
    billingType: command.billing_type,
    state: command.patient_address.state,
    active,
  });
  await requirePhysician(work, { account, test, command, warn });
  const insuranceId = await requireBilling(work, { command, labSlug: test.lab.slug, account });
  if (command.activate_by != null && command.activate_by < isoDay(work.now)) {
    throw invalidField(['body', 'activate_by'], 'expected today or a day in the future');
  }
  return insertOrder(work, {
    test,
    eventId,
    clientUserId: user.clientUserId,
    people: peopleOf(work, command, { test, account }),
    row: {
      user_id: command.user_id,
      registrable: false,
      lab_account_id: account?.id ?? null,
      physician: command.physician ? JSON.stringify(physicianOf(command.physician)) : null,
      priority: command.priority,
      billing_type: command.billing_type,
      icd_codes: command.icd_codes ?? null,
      activate_by: command.activate_by ?? null,
      passthrough: command.passthrough ?? null,
      health_insurance_id: insuranceId,
    },
  });
}

const physicianOf = ({
  first_name,
  last_name,
  npi,
}: {
  first_name: string;
  last_name: string;
  npi: string;
}) => ({
  first_name,
  last_name,
  npi,
});

async function orderedTest(work: Work, command: CreateOrder): Promise<LabTest> {
  const { order_set: set, lab_test_id: labTestId } = command;
  if (set == null && labTestId == null) {
    throw invalidField(['body', 'order_set'], 'expected order_set or lab_test_id');
  }
  if (set != null && labTestId != null) {
    throw new DomainError('bad_request', 'Only one of order_set and lab_test_id may be given');
  }
  if (set == null) return getOrderable(work, labTestId ?? '', command.collection_method ?? null);
  const accountId = command.lab_account_id ?? set.lab_account_id;
  return resolveOrderSet(work, {
    labSlug: accountId == null ? null : (await getLabAccount(work, accountId)).labSlug,
    labTestIds: set.lab_test_ids ?? [],
    addOn: set.add_on ? { markerIds: set.add_on.marker_ids, providerIds: set.add_on.provider_ids } : null,
    collectionMethod: command.collection_method ?? null,
  });
}

async function getOrderable(work: Work, id: string, method: string | null): Promise<LabTest> {
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

const ADULT_YEARS = 18;

/** Minors only with a proxy, only for teams that have it on, and never for a draw at home. */
async function requirePatient(work: Work, patient: PatientDetails, test: LabTest): Promise<void> {
  requirePastDob(work, patient.dob, ['body', 'patient_details', 'dob']);
  if (ageAt(work.now, patient.dob) >= ADULT_YEARS) return;
  if (test.method === 'at_home_phlebotomy') {
    throw new DomainError('bad_request', 'At-home phlebotomy is not available to patients under 18');
  }
  if (!(await teamSettings(work)).minor_ordering_enabled) {
    throw new DomainError('bad_request', 'Ordering for patients under 18 is not enabled for this team');
  }
  if (!patient.medical_proxy) {
    throw new DomainError('bad_request', 'A medical_proxy is needed for a patient under 18');
  }
}

const DELEGATION_LABS = new Set(['labcorp', 'quest', 'sonora_quest']);
const DELEGATED_FLOWS = new Set(['order_delegated', 'fully_delegated']);

interface Ordering {
  account: LabAccount | undefined;
  test: LabTest;
  command: CreateOrder;
  warn: Warn;
}

/** Teams with their own physicians name one; until the end of their grace period a warning takes the place of the refusal. */
async function requirePhysician(work: Work, { account, test, command, warn }: Ordering): Promise<void> {
  const { physician } = command;
  if (physician) requireNpi(work, physician.npi, warn);
  const delegated = account !== undefined && DELEGATED_FLOWS.has(account.delegatedFlow);
  if (physician || !delegated || !DELEGATION_LABS.has(test.lab.slug)) return;
  const message = `Lab account ${account.id} is ${account.delegatedFlow}: at least one physician (first_name, last_name, npi) is required`;
  const grace = (await teamSettings(work)).physician_grace_until;
  if (grace === null || isoDay(work.now) > grace.slice(0, 10)) throw new DomainError('bad_request', message);
  warn(`${message} after ${grace}`);
}

export function requireNpi(work: Work, npi: string, warn: Warn): void {
  if (isNpi(npi)) return;
  if (work.tenant.environment === 'production') {
    throw invalidField(['body', 'physician', 'npi'], 'expected an NPI of 10 digits with a valid check digit');
  }
  warn('physician.npi is not a valid NPI; production refuses it');
}

const NOTED_LABS = new Set(['labcorp', 'quest', 'sonora_quest', 'bioreference']);

interface Chosen {
  test: LabTest;
  account: LabAccount | undefined;
}

function peopleOf(work: Work, command: CreateOrder, { test, account }: Chosen): OrderPrivate {
  const own = command.clinical_notes ?? null;
  const standing = account?.defaultClinicalNotes ?? null;
  const notes = NOTED_LABS.has(test.lab.slug)
    ? [standing, own].filter((note) => note).join('\n') || null
    : own;
  return {
    patient: command.patient_details,
    address: command.patient_address,
    shipping: test.method === 'testkit' ? shippingOf(command.patient_details, command.patient_address) : null,
    clinicalNotes: notes,
    aoeAnswers: checkAnswers(test, command.aoe_answers ?? []),
    consents: datedConsents(work.now, command.consents),
  };
}

/** A kit goes to the patient's own address. */
export function shippingOf(patient: PatientDetails, address: PatientAddress): ShippingAddress {
  return {
    receiver_name: address.receiver_name || `${patient.first_name} ${patient.last_name}`,
    first_line: address.first_line,
    second_line: address.second_line ?? null,
    city: address.city,
    state: address.state,
    zip: address.zip,
    country: address.country,
    phone_number: address.phone_number ?? patient.phone_number,
  };
}

/** Sends a kit that its patient registers later by the sample id on it. */
export async function placeTestkitOrder(work: Work, command: CreateTestkitOrder): Promise<Order> {
  const [user, test] = await Promise.all([
    getUser(work, command.user_id),
    getOrderable(work, command.lab_test_id, 'testkit'),
  ]);
  const account = await resolveAccount(work, {
    labSlug: test.lab.slug,
    wantedId: command.lab_account_id ?? null,
    billingType: 'client_bill',
    state: command.shipping_details.state,
  });
  return insertOrder(work, {
    test,
    clientUserId: user.clientUserId,
    people: { ...nobody, shipping: command.shipping_details },
    row: {
      user_id: command.user_id,
      registrable: true,
      sample_id: newSampleId(),
      lab_account_id: account?.id ?? null,
      passthrough: command.passthrough ?? null,
    },
  });
}

/** Whoever holds the kit, we do not know them yet. */
export const nobody: OrderPrivate = {
  patient: null,
  address: null,
  shipping: null,
  clinicalNotes: null,
  aoeAnswers: [],
  consents: [],
};

const SAMPLE_ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const SAMPLE_LENGTH = 10;

/** An id that a person can read off a kit: no letters that look like digits. */
function newSampleId(): string {
  const letters = Array.from(
    randomBytes(SAMPLE_LENGTH),
    (byte) => SAMPLE_ALPHABET[byte % SAMPLE_ALPHABET.length],
  );
  return `AQ${letters.join('')}`;
}

export interface Placing {
  readonly test: LabTest;
  readonly clientUserId: string;
  /** Where it was taken beforehand. */
  readonly eventId?: number;
  readonly people: OrderPrivate;
  readonly row: Partial<store.NewOrder> & { user_id: string; registrable: boolean };
}

/** Writes the order and tells of it; what the caller did not say has its default here. */
export async function insertOrder(
  work: Work,
  { test, clientUserId, eventId, people, row }: Placing,
): Promise<Order> {
  const placed: store.NewOrder = {
    origin: 'initial',
    modality: test.method,
    step: 'ordered',
    leg: 'stock',
    lab_id: test.lab.id,
    lab_slug: test.lab.slug,
    lab_test_id: test.id,
    lab_test: snapshotOf(test),
    private: people,
    patient_name: people.patient && `${people.patient.first_name} ${people.patient.last_name}`,
    recipient_name: people.shipping?.receiver_name ?? null,
    physician: null,
    shipment: null,
    priority: false,
    billing_type: 'client_bill',
    client_user_id: clientUserId,
    ...row,
  };
  const order = await store.insertOrder(work, placed, eventId);
  await emit(work, orderCreated, { subject: subjectOfOrder(order), data: viewOrder(order) });
  return order;
}
