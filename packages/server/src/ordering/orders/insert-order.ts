import { randomBytes } from 'node:crypto';
import { emit } from '../../events/events.ts';
import type { PatientAddress, PatientDetails, ShippingAddress } from '../../people/schema.ts';
import type { Work } from '../../platform/work.ts';
import { getLabTestSnapshot, type LabTest } from '../catalog/catalog.ts';
import type { AllocatedEventId } from './event-store.ts';
import { orderCreated } from './events.ts';
import { areNamesLocked, lockNames, storeLockedName, type LockedNames } from './name-store.ts';
import { patientNameOf, recipientNameOf } from './names.ts';
import { subjectOfOrder, type Order, type OrderPrivate } from './order.ts';
import { scheduleAutoAdvance } from './requisition-timer.ts';
import * as store from './store.ts';
import { viewOrder } from './view.ts';

export interface OrderPlacement {
  readonly test: LabTest;
  readonly clientUserId: string;
  /** The id of the first event, if it was allocated in advance. */
  readonly eventId?: AllocatedEventId;
  /** The names in `people`, if they were locked in advance. */
  readonly names?: LockedNames;
  readonly people: OrderPrivate;
  readonly row: Partial<store.NewOrder> & { user_id: string; registrable: boolean };
}

/**
 * Inserts the order, with defaults for all columns that `row` leaves out, and emits `labtest.order.created`. `before`
 * runs between the two, for events that must come first.
 */
export async function insertOrder(
  work: Work,
  { test, clientUserId, eventId, names = new Map(), people, row }: OrderPlacement,
  before?: (order: Order) => Promise<void>,
): Promise<Order> {
  const ownNames = [patientNameOf(people), recipientNameOf(people)];
  const held = areNamesLocked(names, ownNames) ? names : await lockNames(work, ownNames);
  const placed: store.NewOrder = {
    origin: 'initial',
    modality: test.method,
    step: 'ordered',
    leg: 'stock',
    lab_id: test.lab.id,
    lab_slug: test.lab.slug,
    lab_test_id: test.id,
    lab_test: getLabTestSnapshot(test),
    private: people,
    patient_name_id: storeLockedName(work, held, patientNameOf(people)),
    recipient_name_id: storeLockedName(work, held, recipientNameOf(people)),
    physician: null,
    shipment: null,
    priority: false,
    billing_type: 'client_bill',
    client_user_id: clientUserId,
    ...row,
  };
  const order = await store.insertOrder(work, placed, eventId);
  await scheduleAutoAdvance(work, order);
  await before?.(order);
  await emit(work, orderCreated, { subject: subjectOfOrder(order), data: viewOrder(order) });
  return order;
}

/** The patient of a kit that is not registered yet. */
export const unknownPatient: OrderPrivate = {
  patient: null,
  address: null,
  shipping: null,
  clinicalNotes: null,
  aoeAnswers: [],
  consents: [],
};

/** The kit is sent to the patient's own address. */
export function toShippingAddress(patient: PatientDetails, address: PatientAddress): ShippingAddress {
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

/** A sample id that is easy to read off a kit: no letters that look like digits. */
export function generateSampleId(): string {
  const letters = Array.from(
    randomBytes(SAMPLE_LENGTH),
    (byte) => SAMPLE_ALPHABET[byte % SAMPLE_ALPHABET.length],
  );
  return `AQ${letters.join('')}`;
}
