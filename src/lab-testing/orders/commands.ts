import { z } from 'zod';
import {
  Address,
  Jpeg,
  PersonName,
  PhoneNumber,
  Png,
  PatientAddress,
  PatientAddressWithValidation,
  PatientDetailsWithValidation,
  PhysicianCreateRequest,
  PhysicianCreateRequestBase,
  ShippingAddressWithValidation,
} from '../../people/schema.ts';
import { GivenDay } from '../../platform/given-moments.ts';
import { CollectionMethod } from '../catalog/schema.ts';
import { BillingType, Interpretation } from './schema.ts';
import { MODALITIES, STEPS } from './status.ts';

const NOTES_MAX = 1000;

const Relationship = z.enum(['Self', 'Spouse', 'Other']).meta({ id: 'ResponsibleRelationship' });

/** How older clients send insurance with an order. Its diagnosis codes are used when `icd_codes` is absent. */
const HealthInsurance = z
  .object({
    front_image: z.union([Jpeg, Png]).nullish(),
    back_image: z.union([Jpeg, Png]).nullish(),
    patient_signature_image: z.union([Jpeg, Png]).nullish(),
    subjective: z.string().max(5000).nullish(),
    assessment_plan: z.string().max(5000).nullish(),
    payor_code: z.string().max(100).nullish(),
    insurance_id: z.string().max(100).nullish(),
    responsible_relationship: Relationship.nullish(),
    responsible_details: z
      .object({
        first_name: PersonName,
        last_name: PersonName,
        address: Address,
        phone_number: PhoneNumber,
        phone_type: z.string().max(50).nullish(),
      })
      .nullish(),
    diagnosis_codes: z.array(z.string().max(20)).max(50).nullish(),
  })
  .meta({
    id: 'HealthInsuranceCreateRequest',
    description:
      'Of older clients. Its diagnosis_codes are used where icd_codes is left out. The rest is taken, and not kept: an order is billed to the insurance that was created for its user.',
  });

const Consent = z
  .object({
    consentType: z.enum([
      'terms-of-use',
      'telehealth-informed-consent',
      'mobile-terms-and-conditions',
      'notice-of-privacy-practices',
      'privacy-policy',
      'hipaa-authorization',
    ]),
    version: z.string().max(50).default('1.0'),
    timeOfConsent: z.iso
      .datetime({ offset: true, local: true })
      .optional()
      .describe('The moment of the order when left out.'),
  })
  .meta({ id: 'Consent' });

const AoeAnswer = z
  .object({ marker_id: z.int(), question_id: z.int(), answer: z.string().max(1000) })
  .meta({ id: 'AoEAnswer' });

const OrderSet = z
  .object({
    lab_test_ids: z.array(z.guid()).max(50).nullish(),
    add_on: z
      .object({
        marker_ids: z.array(z.int()).max(200).nullish(),
        provider_ids: z.array(z.string().max(100)).max(200).nullish(),
      })
      .meta({ id: 'AddOnOrder' })
      .nullish(),
    lab_account_id: z.guid().nullish(),
  })
  .meta({ id: 'OrderSetRequest' });

export const CreateOrder = z
  .object({
    user_id: z.guid(),
    lab_test_id: z.guid().nullish(),
    order_set: OrderSet.nullish(),
    collection_method: CollectionMethod.nullish(),
    physician: PhysicianCreateRequest.nullish(),
    health_insurance: HealthInsurance.nullish(),
    priority: z.boolean().default(false),
    billing_type: BillingType.default('client_bill'),
    icd_codes: z.array(z.string().max(20)).max(50).nullish(),
    consents: z.array(Consent).max(20).default([]),
    activate_by: GivenDay.nullish(),
    aoe_answers: z.array(AoeAnswer).max(500).nullish(),
    passthrough: z.string().max(5000).nullish(),
    clinical_notes: z.string().max(NOTES_MAX).nullish(),
    lab_account_id: z.guid().nullish(),
    creator_member_id: z.guid().nullish(),
    patient_details: PatientDetailsWithValidation,
    patient_address: PatientAddressWithValidation,
    recreate_from_order_id: z.guid().nullish().describe('Ours. The order that this one replaces.'),
    update_reason: z
      .string()
      .min(1)
      .max(100)
      .nullish()
      .describe('Ours. Why it is replaced. INCORRECT_LAB resolves another lab account; any other keeps it.'),
  })
  .meta({ id: 'CreateOrderRequestCompatible' })
  .transform((order, context) => {
    requireBoth(order, context);
    return { ...order, icd_codes: order.icd_codes ?? order.health_insurance?.diagnosis_codes ?? null };
  });
export type CreateOrder = z.output<typeof CreateOrder>;

/** An order that replaces another one says why, and a reason says which. */
function requireBoth(
  order: { recreate_from_order_id?: string | null | undefined; update_reason?: string | null | undefined },
  context: z.core.$RefinementCtx<unknown>,
): void {
  const { recreate_from_order_id: replaced, update_reason: reason } = order;
  if ((replaced == null) === (reason == null)) return;
  const path = [replaced == null ? 'recreate_from_order_id' : 'update_reason'];
  const message = 'recreate_from_order_id and update_reason are given together';
  context.addIssue({ code: 'custom', path, message, input: null });
}

export const ImportOrder = z
  .object({
    user_id: z.guid(),
    billing_type: BillingType,
    order_set: OrderSet,
    collection_method: CollectionMethod,
    physician: PhysicianCreateRequest.nullish(),
    patient_details: PatientDetailsWithValidation,
    patient_address: PatientAddress,
    sample_id: z.string().trim().min(1).max(100),
    lab_account_id: z.guid().nullish(),
  })
  .meta({ id: 'ImportOrderBody' });
export type ImportOrder = z.output<typeof ImportOrder>;

export const UpdateOrder = z
  .object({
    activate_by: GivenDay.nullable().describe(
      'The day on which a scheduled order goes on; null lets it go on now.',
    ),
  })
  .meta({ id: 'UpdateOrderBody' });

export const CommunicationChange = z
  .object({ sms_enabled: z.boolean() })
  .meta({ id: 'PatchOrderCommunicationSettingsBody' });

export const CreateTestkitOrder = z
  .object({
    user_id: z.guid(),
    lab_test_id: z.guid(),
    shipping_details: ShippingAddressWithValidation,
    passthrough: z.string().max(5000).nullish(),
    lab_account_id: z.guid().nullish(),
  })
  .meta({ id: 'CreateRegistrableTestkitOrderRequest' });
export type CreateTestkitOrder = z.output<typeof CreateTestkitOrder>;

export const RegisterTestkit = z
  .object({
    user_id: z.guid().nullish(),
    sample_id: z.string().trim().min(1).max(100),
    patient_details: PatientDetailsWithValidation,
    patient_address: PatientAddressWithValidation,
    physician: PhysicianCreateRequestBase.nullish(),
    health_insurance: HealthInsurance.nullish(),
    consents: z.array(Consent).max(20).default([]),
  })
  .meta({ id: 'RegisterTestkitRequest' });
export type RegisterTestkit = z.output<typeof RegisterTestkit>;

const list = <S extends z.ZodType>(item: S) => z.array(item).max(500).nullish();
const moment = z.iso.datetime({ offset: true, local: true }).or(z.iso.date());

export const LowLevelStatus = z.enum([...STEPS, 'registered']).meta({ id: 'OrderLowLevelStatus' });

export const OrderFilters = z.object({
  search_input: z.string().max(200).nullish(),
  start_date: moment.nullish(),
  end_date: moment.nullish(),
  updated_start_date: moment.nullish(),
  updated_end_date: moment.nullish(),
  status: list(LowLevelStatus),
  order_key: z.enum(['created_at', 'patient_name', 'last_status']).nullish(),
  order_direction: z.enum(['asc', 'desc']).nullish(),
  order_type: list(z.enum(MODALITIES)),
  is_critical: z.boolean().nullish(),
  interpretation: Interpretation.nullish(),
  order_activation_types: list(z.enum(['current', 'scheduled'])),
  user_id: z.guid().nullish(),
  patient_name: z.string().max(200).nullish(),
  shipping_recipient_name: z.string().max(200).nullish(),
  order_ids: list(z.guid()),
  order_transaction_id: z.guid().nullish(),
  page: z.int().min(1).max(100_000).default(1),
  size: z.int().min(1).max(500).default(50),
});
export type OrderFilters = z.output<typeof OrderFilters>;
