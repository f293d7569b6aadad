import { z } from 'zod';

import {
  Ethnicity,
  GenderIdentity,
  GuarantorDetailsView,
  Race,
  SexualOrientation,
} from '../../people/schema.ts';
import { LabTestView } from '../catalog/schema.ts';

import { PUBLIC_STATUSES, STATUS_DETAILS, STEPS } from './status.ts';
import { Timestamp } from '../../platform/timestamp.ts';

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
    created_at: Timestamp,
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
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'ClientFacingShipment' });
export type ShipmentView = z.output<typeof ShipmentView>;

const detailsData = { id: z.guid(), created_at: Timestamp, updated_at: Timestamp };
const appointmentFields = { appointment_id: z.guid().nullable() };
const details = <T extends string, D extends z.ZodRawShape>(type: T, id: string, data: D) =>
  z.object({ type: z.literal(type), data: z.object({ ...detailsData, ...data }).nullable() }).meta({ id });

const DetailsView = z.discriminatedUnion('type', [
  details('walk_in_test', 'ClientFacingWalkInOrderDetails', appointmentFields),
  details('testkit', 'ClientFacingTestKitOrderDetails', { shipment: ShipmentView.nullable() }),
  details('at_home_phlebotomy', 'ClientFacingAtHomePhlebotomyOrderDetails', appointmentFields),
  details('on_site_collection', 'ClientFacingOnSiteCollectionOrderDetails', {}),
]);

const PatientDetailsView = z
  .object({
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    dob: Timestamp,
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

const addressFields = {
  receiver_name: z.string(),
  first_line: z.string(),
  second_line: z.string().nullable(),
  city: z.string(),
  state: z.string(),
  zip: z.string(),
  country: z.string(),
};

const PatientAddressView = z
  .object({ ...addressFields, access_notes: z.string().nullable(), phone_number: z.string().nullable() })
  .meta({ id: 'PatientAddressCompatible' });

const ShippingAddressView = z
  .object({ ...addressFields, phone_number: z.string() })
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
          low_level_status_created_at: Timestamp.nullable(),
          origin: OrderOrigin.nullable(),
          parent_id: z.guid().nullable(),
          created_at: Timestamp,
          updated_at: Timestamp,
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
    created_at: Timestamp,
    updated_at: Timestamp,
    events: z.array(OrderEventView),
    status: z.enum(['received', 'collecting_sample', 'sample_with_lab', 'completed', 'cancelled', 'failed']),
    last_event: OrderEventView,
    physician: PhysicianView.nullable(),
    health_insurance_id: z.guid().nullable(),
    requisition_form_url: z
      .string()
      .nullable()
      .describe('URL of the requisition; needs an API key. Null while there is no requisition.'),
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

export const OrderResponse = z
  .object({ order: OrderView, status: z.string(), message: z.string() })
  .meta({ id: 'PostOrderResponse' });

const communicationFields = { order_id: z.guid(), sms_enabled: z.boolean() };
export const GetCommunicationSettingsResponse = z
  .object(communicationFields)
  .meta({ id: 'GetOrderCommunicationSettingsResponse' });
export const UpdateCommunicationSettingsResponse = z
  .object(communicationFields)
  .meta({ id: 'PatchOrderCommunicationSettingsResponse' });

export const OrderPage = z
  .object({
    orders: z.array(OrderView),
    total: z.int().nullable(),
    page: z.int().nullable(),
    size: z.int().nullable(),
  })
  .meta({ id: 'GetOrdersResponse' });

export const BillingType = z
  .enum(['client_bill', 'commercial_insurance', 'patient_bill_passthrough', 'patient_bill'])
  .meta({ id: 'Billing' });

/** Target status of a simulation: a public status, a name that older clients use, or a step alone. */
export const SimulationStatus = z.enum([
  ...PUBLIC_STATUSES,
  'received.testkit.registered',
  ...STEPS,
  'registered',
]);
