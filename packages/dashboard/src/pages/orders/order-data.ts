import type { components } from '../../api/openapi.d.ts';

export type Order = components['schemas']['ClientFacingOrder'];
export type Biomarker = components['schemas']['BiomarkerResult'];

/** The step of the state machine: the last part of a status. */
const stepOf = (order: Order): string => order.last_event.status.split('.')[2] ?? '';

/** Steps from which nothing follows but a correction. */
const ENDED = new Set(['completed', 'cancelled', 'failed']);
export const hasEnded = (order: Order): boolean => ENDED.has(order.status);

export const hasResults = (order: Order): boolean =>
  order.status === 'completed' || stepOf(order) === 'partial_results';

/** Whose patient books an appointment: until the laboratory has the sample. */
export const isBookable = (order: Order): boolean =>
  ['walk_in_test', 'at_home_phlebotomy'].includes(order.details.type) &&
  !hasEnded(order) &&
  order.status !== 'sample_with_lab';

/** Where the team may still cancel; the API decides. Kits cannot be called back once they are on their way. */
const CANCELLABLE: Readonly<Record<string, readonly string[]>> = {
  testkit: [
    'ordered',
    'awaiting_registration',
    'requisition_created',
    'requisition_bypassed',
    'testkit_registered',
  ],
  walk_in_test: [
    'ordered',
    'requisition_created',
    'requisition_bypassed',
    'appointment_pending',
    'appointment_scheduled',
    'appointment_cancelled',
  ],
  at_home_phlebotomy: [
    'ordered',
    'requisition_created',
    'requisition_bypassed',
    'appointment_pending',
    'appointment_scheduled',
    'appointment_cancelled',
    'draw_completed',
  ],
  on_site_collection: ['ordered', 'requisition_created', 'requisition_bypassed', 'draw_completed'],
};

export const isCancellable = (order: Order): boolean =>
  CANCELLABLE[order.details.type]?.includes(stepOf(order)) ?? false;

/** A kit that waits for its registration: sent before its patient is known. */
export const isRegistrable = (order: Order): boolean =>
  order.details.type === 'testkit' &&
  order.events.some(({ status }) => status.endsWith('.awaiting_registration')) &&
  ['awaiting_registration', 'with_customer', 'transit_customer', 'out_for_delivery'].includes(stepOf(order));

export const isDrawable = (order: Order): boolean =>
  (order.details.type === 'on_site_collection' &&
    ['requisition_created', 'requisition_bypassed'].includes(stepOf(order))) ||
  (order.details.type === 'at_home_phlebotomy' && stepOf(order) === 'appointment_scheduled');

export const METHOD_NAMES: Readonly<Record<string, string>> = {
  testkit: 'Test kit',
  walk_in_test: 'Walk-in',
  at_home_phlebotomy: 'At-home draw',
  on_site_collection: 'On-site draw',
};

export const patientName = ({ patient_details: patient }: Order): string =>
  [patient?.first_name, patient?.last_name].filter(Boolean).join(' ');
