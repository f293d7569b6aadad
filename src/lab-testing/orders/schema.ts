import { z } from 'zod';
import { isoDay, isoMoment, later, DAY } from '../../platform/clock.ts';
import {
  countryLongName,
  Ethnicity,
  GenderIdentity,
  GuarantorDetailsView,
  Race,
  SexualOrientation,
} from '../../people/schema.ts';
import { CollectionMethod, LabTestView } from '../catalog/schema.ts';
import type { Order, OrderPrivate } from './order.ts';
import { publicStatus, PUBLIC_STATUSES, STATUS_DETAILS, STEPS, topLevel } from './status.ts';

const moment = z.iso.datetime({ offset: true });
const day = z.iso.date();

export const Interpretation = z
  .enum(['normal', 'abnormal', 'critical', 'unknown'])
  .meta({ id: 'Interpretation' });
export const OrderOrigin = z.enum(['initial', 'redraw', 'recreation']).meta({ id: 'OrderOrigin' });
export const TransactionStatus = z
  .enum(['active', 'completed', 'cancelled'])
  .meta({ id: 'OrderTransactionStatus' });

const OrderEventView = z
  .object({
    id: z.int(),
    created_at: moment,
    status: z.enum(PUBLIC_STATUSES),
    status_detail: z.enum(STATUS_DETAILS).nullable(),
  })
  .meta({ id: 'ClientFacingOrderEvent' });

export const ShipmentView = z
  .object({
    id: z.guid(),
    outbound_tracking_number: z.string().nullable(),
    outbound_tracking_url: z.string().nullable(),
    inbound_tracking_number: z.string().nullable(),
    inbound_tracking_url: z.string().nullable(),
    outbound_courier: z.string().nullable(),
    inbound_courier: z.string().nullable(),
    notes: z.string().nullable(),
    created_at: moment,
    updated_at: moment,
  })
  .meta({ id: 'ClientFacingShipment' });
export type ShipmentView = z.output<typeof ShipmentView>;

const detailsData = { id: z.guid(), created_at: moment, updated_at: moment };
const appointment = { appointment_id: z.guid().nullable() };
const details = <T extends string, D extends z.ZodRawShape>(type: T, id: string, data: D) =>
  z.object({ type: z.literal(type), data: z.object({ ...detailsData, ...data }).nullable() }).meta({ id });

const DetailsView = z.discriminatedUnion('type', [
  details('walk_in_test', 'ClientFacingWalkInOrderDetails', appointment),
  details('testkit', 'ClientFacingTestKitOrderDetails', { shipment: ShipmentView.nullable() }),
  details('at_home_phlebotomy', 'ClientFacingAtHomePhlebotomyOrderDetails', appointment),
  details('on_site_collection', 'ClientFacingOnSiteCollectionOrderDetails', {}),
]);

const PatientDetailsView = z
  .object({
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    dob: moment,
    gender: z.string(),
    phone_number: z.string().nullable(),
    email: z.string().nullable(),
    medical_proxy: GuarantorDetailsView.nullish(),
    race: Race.nullish(),
    ethnicity: Ethnicity.nullish(),
    sexual_orientation: SexualOrientation.nullish(),
    gender_identity: GenderIdentity.nullish(),
  })
  .meta({ id: 'ClientFacingPatientDetailsCompatible' });

const PatientAddressView = z
  .object({
    receiver_name: z.string(),
    first_line: z.string(),
    second_line: z.string().nullable(),
    city: z.string(),
    state: z.string(),
    zip: z.string(),
    country: z.string(),
    access_notes: z.string().nullable(),
    phone_number: z.string().nullable(),
  })
  .meta({ id: 'PatientAddressCompatible' });

const ShippingAddressView = z
  .object({
    receiver_name: z.string(),
    first_line: z.string(),
    second_line: z.string().nullable(),
    city: z.string(),
    state: z.string(),
    zip: z.string(),
    country: z.string(),
    phone_number: z.string(),
  })
  .meta({ id: 'ShippingAddress' });

export const PhysicianView = z
  .object({ first_name: z.string(), last_name: z.string(), npi: z.string() })
  .meta({ id: 'ClientFacingPhysician' });

export const OrderTransactionView = z
  .object({
    id: z.guid(),
    status: TransactionStatus,
    orders: z.array(
      z
        .object({
          id: z.guid(),
          low_level_status: z.enum(STEPS).nullable(),
          low_level_status_created_at: moment.nullable(),
          origin: OrderOrigin.nullable(),
          parent_id: z.guid().nullable(),
          created_at: moment,
          updated_at: moment,
        })
        .meta({ id: 'ClientFacingOrderInTransaction' }),
    ),
  })
  .meta({ id: 'ClientFacingOrderTransaction' });

export const OrderView = z
  .object({
    user_id: z.guid(),
    id: z.guid(),
    team_id: z.guid(),
    patient_details: PatientDetailsView.nullable(),
    patient_address: PatientAddressView.nullable(),
    lab_test: LabTestView,
    details: DetailsView,
    sample_id: z.string().nullable(),
    notes: z.string().nullable(),
    clinical_notes: z.string().nullable(),
    created_at: moment,
    updated_at: moment,
    events: z.array(OrderEventView),
    status: z.enum(['received', 'collecting_sample', 'sample_with_lab', 'completed', 'cancelled', 'failed']),
    last_event: OrderEventView,
    physician: PhysicianView.nullable(),
    health_insurance_id: z.guid().nullable(),
    requisition_form_url: z.string().nullable(),
    priority: z.boolean(),
    shipping_details: ShippingAddressView.nullable(),
    activate_by: day.nullable(),
    passthrough: z.string().nullable(),
    billing_type: z.enum(['client_bill', 'commercial_insurance', 'patient_bill_passthrough', 'patient_bill']),
    icd_codes: z.array(z.string()).nullable(),
    has_abn: z.boolean(),
    interpretation: Interpretation.nullable(),
    has_missing_results: z.boolean().nullable(),
    expected_result_by_date: day.nullable(),
    worst_case_result_by_date: day.nullable(),
    origin: OrderOrigin.nullable(),
    order_transaction: OrderTransactionView.nullable(),
  })
  .meta({ id: 'ClientFacingOrder' });
export type OrderView = z.input<typeof OrderView>;

export const OrderAnswer = z
  .object({ order: OrderView, status: z.string(), message: z.string() })
  .meta({ id: 'PostOrderResponse' });

export const OrderPage = z
  .object({
    orders: z.array(OrderView),
    total: z.int().nullable(),
    page: z.int().nullable(),
    size: z.int().nullable(),
  })
  .meta({ id: 'GetOrdersResponse' });

/** The one view of an order: what callers read is what webhooks carry. */
export function viewOrder(order: Order): OrderView {
  const events = order.events.map((event) => ({
    id: event.id,
    created_at: isoMoment(event.created_at),
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
    // Written by viewLabTest when the order was placed, and parsed by LabTestView on its way out.
    lab_test: order.lab_test as z.input<typeof LabTestView>,
    details: viewDetails(order),
    sample_id: order.sample_id,
    notes: null,
    clinical_notes: order.private.clinicalNotes,
    created_at: isoMoment(order.created_at),
    updated_at: isoMoment(order.updated_at),
    events,
    last_event: last,
    status: topLevel(order.modality, order.step),
    physician: PhysicianView.nullable().parse(order.physician),
    health_insurance_id: order.health_insurance_id,
    requisition_form_url: null,
    priority: order.priority,
    activate_by: order.activate_by,
    passthrough: order.passthrough,
    billing_type: BillingType.parse(order.billing_type),
    icd_codes: order.icd_codes,
    has_abn: false,
    interpretation: order.interpretation,
    has_missing_results: order.has_missing_results,
    ...expectedDates(order),
    origin: order.origin,
    order_transaction: viewTransaction(order),
  };
}

export const BillingType = z
  .enum(['client_bill', 'commercial_insurance', 'patient_bill_passthrough', 'patient_bill'])
  .meta({ id: 'Billing' });

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
    created_at: isoMoment(order.created_at),
    updated_at: isoMoment(order.updated_at),
  };
  switch (order.modality) {
    case 'testkit':
      return { type: 'testkit', data: { ...data, shipment: ShipmentView.nullable().parse(order.shipment) } };
    case 'on_site_collection':
      return { type: 'on_site_collection', data };
    default:
      return { type: order.modality, data: { ...data, appointment_id: null } };
  }
}

const TurnaroundDays = z.object({
  common_tat_days: z.number().nullish(),
  worst_case_tat_days: z.number().nullish(),
});

/** Counted from the day on which the laboratory had the sample; nothing is promised before. */
function expectedDates(
  order: Order,
): Pick<OrderView, 'expected_result_by_date' | 'worst_case_result_by_date'> {
  const started = order.events.find(({ step }) => step === 'delivered_to_lab' || step === 'draw_completed');
  const days = TurnaroundDays.parse(order.lab_test);
  const by = (count: number | null | undefined) =>
    started && typeof count === 'number' ? isoDay(later(started.created_at, count * DAY)) : null;
  return {
    expected_result_by_date: by(days.common_tat_days),
    worst_case_result_by_date: by(days.worst_case_tat_days),
  };
}

function viewTransaction({ siblings, transaction_id }: Order): z.input<typeof OrderTransactionView> {
  const tops = siblings.map(({ modality, step }) => topLevel(modality, step));
  const isDone = (top: string) => top === 'completed' || top === 'cancelled' || top === 'failed';
  return {
    id: transaction_id,
    status: tops.every((top) => top === 'cancelled')
      ? 'cancelled'
      : tops.every(isDone)
        ? 'completed'
        : 'active',
    orders: siblings.map((sibling) => ({
      id: sibling.id,
      low_level_status: sibling.step,
      low_level_status_created_at: isoMoment(sibling.step_at),
      origin: sibling.origin,
      parent_id: sibling.parent_id,
      created_at: isoMoment(sibling.created_at),
      updated_at: isoMoment(sibling.updated_at),
    })),
  };
}

export { CollectionMethod };
