import { z } from 'zod';
import { countryLongName } from '../../people/schema.ts';
import { DAY, isoDay, isoTimestamp, later } from '../../platform/clock.ts';
import type { LabTestView } from '../catalog/schema.ts';
import type { Order, OrderPrivate } from './order.ts';
import {
  BillingType,
  PhysicianView,
  ShipmentView,
  type OrderTransactionView,
  type OrderView,
} from './schema.ts';
import { publicStatus, topLevel } from './status.ts';
import { transactionStatus } from './transaction-status.ts';

const MaybePhysician = PhysicianView.nullable();
const MaybeShipment = ShipmentView.nullable();

/** The public view of an order, the same in responses and webhooks. */
export function viewOrder(order: Order): OrderView {
  const events = order.events.map((event) => ({
    id: event.id,
    created_at: isoTimestamp(event.created_at),
    status: publicStatus(order.modality, event.step),
    status_detail: event.status_detail,
  }));
  const last = events.at(-1);
  if (!last) throw new Error(`Order ${order.id} has no event`);
  return {
    user_id: order.user_id,
    id: order.id,
    team_id: order.team_id,
    ...viewPeople(order.private),
    // Created by viewLabTest when the order was placed, and validated by LabTestView in the response.
    lab_test: order.lab_test as z.input<typeof LabTestView>,
    details: viewDetails(order),
    sample_id: order.sample_id,
    notes: order.waiting_reason,
    clinical_notes: order.private.clinicalNotes,
    created_at: isoTimestamp(order.created_at),
    updated_at: isoTimestamp(order.updated_at),
    events,
    last_event: last,
    status: topLevel(order.modality, order.step),
    physician: MaybePhysician.parse(order.physician),
    health_insurance_id: order.health_insurance_id,
    requisition_form_url: hasRequisitionForm(order) ? order.requisition_url : null,
    priority: order.priority,
    activate_by: order.activate_by,
    passthrough: order.passthrough,
    billing_type: BillingType.parse(order.billing_type),
    icd_codes: order.icd_codes,
    has_abn: order.abn_due,
    interpretation: order.interpretation,
    has_missing_results: order.has_missing_results,
    ...expectedDates(order),
    origin: order.origin,
    order_transaction: viewTransaction(order),
  };
}

/** An imported order has no requisition of the service. */
const hasRequisitionForm = ({ events }: Order): boolean =>
  events.some(({ step }) => step === 'requisition_created');

function viewPeople(
  people: OrderPrivate,
): Pick<OrderView, 'patient_details' | 'patient_address' | 'shipping_details'> {
  const { patient, address, shipping } = people;
  return {
    patient_details: patient && { ...patient, dob: `${patient.dob}T00:00:00+00:00` },
    patient_address: address && {
      ...address,
      second_line: address.second_line ?? null,
      country: countryLongName(address.country),
      access_notes: address.access_notes ?? null,
      phone_number: address.phone_number ?? null,
    },
    shipping_details: shipping && {
      ...shipping,
      second_line: shipping.second_line ?? null,
      country: countryLongName(shipping.country),
    },
  };
}

function viewDetails(order: Order): OrderView['details'] {
  const data = {
    id: order.id,
    created_at: isoTimestamp(order.created_at),
    updated_at: isoTimestamp(order.updated_at),
  };
  switch (order.modality) {
    case 'testkit':
      return { type: 'testkit', data: { ...data, shipment: MaybeShipment.parse(order.shipment) } };
    case 'on_site_collection':
      return { type: 'on_site_collection', data };
    default:
      return { type: order.modality, data: { ...data, appointment_id: order.appointment_id } };
  }
}

const TurnaroundDays = z.object({
  common_tat_days: z.number().nullish(),
  worst_case_tat_days: z.number().nullish(),
});

/** Counted from the day on which the laboratory received the sample, or the blood was drawn; null before. */
function expectedDates(
  order: Order,
): Pick<OrderView, 'expected_result_by_date' | 'worst_case_result_by_date'> {
  const started = order.events.find(({ step }) => step === 'delivered_to_lab' || step === 'draw_completed');
  if (!started) return { expected_result_by_date: null, worst_case_result_by_date: null };
  const days = TurnaroundDays.parse(order.lab_test);
  const by = (count: number | null | undefined) =>
    typeof count === 'number' ? isoDay(later(started.created_at, count * DAY)) : null;
  return {
    expected_result_by_date: by(days.common_tat_days),
    worst_case_result_by_date: by(days.worst_case_tat_days),
  };
}

export function viewTransaction({
  siblings,
  transaction_id,
}: Pick<Order, 'siblings' | 'transaction_id'>): z.input<typeof OrderTransactionView> {
  return {
    id: transaction_id,
    status: transactionStatus(siblings),
    orders: siblings.map((sibling) => ({
      id: sibling.id,
      low_level_status: sibling.step,
      low_level_status_created_at: isoTimestamp(sibling.step_at),
      origin: sibling.origin,
      parent_id: sibling.parent_id,
      created_at: isoTimestamp(sibling.created_at),
      updated_at: isoTimestamp(sibling.updated_at),
    })),
  };
}
