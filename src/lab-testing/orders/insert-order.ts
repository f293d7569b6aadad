import { randomBytes } from 'node:crypto';
import { emit } from '../../events/events.ts';
import type { PatientAddress, PatientDetails, ShippingAddress } from '../../people/schema.ts';
import type { Work } from '../../platform/work.ts';
import { snapshotOf, type LabTest } from '../catalog/catalog.ts';
import { orderCreated } from './events.ts';
import { areHeld, holdNames, keepName, type HeldNames } from './name-store.ts';
import { patientNameOf, recipientNameOf } from './names.ts';
import { subjectOfOrder, type Order, type OrderPrivate } from './order.ts';
import { goOnByItself } from './requisition-timer.ts';
import * as store from './store.ts';
import { viewOrder } from './view.ts';

export interface Placing {
  readonly test: LabTest;
  readonly clientUserId: string;
  /** Where it was taken beforehand. */
  readonly eventId?: number;
  /** The same of the names in `people`. */
  readonly names?: HeldNames;
  readonly people: OrderPrivate;
  readonly row: Partial<store.NewOrder> & { user_id: string; registrable: boolean };
}

/**
 * Writes the order and tells of it, after what is told `before`; what the caller did not say has its default here.
 */
export async function insertOrder(
  work: Work,
  { test, clientUserId, eventId, names = new Map(), people, row }: Placing,
  before?: (order: Order) => Promise<void>,
): Promise<Order> {
  const ownNames = [patientNameOf(people), recipientNameOf(people)];
  const held = areHeld(names, ownNames) ? names : await holdNames(work, ownNames);
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
    patient_name_id: keepName(work, held, patientNameOf(people)),
    recipient_name_id: keepName(work, held, recipientNameOf(people)),
    physician: null,
    shipment: null,
    priority: false,
    billing_type: 'client_bill',
    client_user_id: clientUserId,
    ...row,
  };
  const order = await store.insertOrder(work, placed, eventId);
  await goOnByItself(work, order);
  await before?.(order);
  await emit(work, orderCreated, { subject: subjectOfOrder(order), data: viewOrder(order) });
  return order;
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

const SAMPLE_ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const SAMPLE_LENGTH = 10;

/** An id that a person can read off a kit: no letters that look like digits. */
export function newSampleId(): string {
  const letters = Array.from(
    randomBytes(SAMPLE_LENGTH),
    (byte) => SAMPLE_ALPHABET[byte % SAMPLE_ALPHABET.length],
  );
  return `AQ${letters.join('')}`;
}
