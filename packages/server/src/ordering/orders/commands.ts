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
import { DateInput } from '../../platform/timestamp-input.ts';
import { CollectionMethod } from '../catalog/schema.ts';
import { BillingType, Interpretation } from './schema.ts';
import { MODALITIES, STEPS } from './status.ts';

const NOTES_MAX = 1000;

const Relationship = z.enum(['Self', 'Spouse', 'Other']).meta({ id: 'ResponsibleRelationship' });

/** The insurance format of older clients. Its diagnosis codes are used when `icd_codes` is absent. */
const HealthInsurance = z
  .object({
    front_image: z.union([Jpeg, Png]).nullish().describe('The front of the insurance card. Ignored.'),
    back_image: z.union([Jpeg, Png]).nullish().describe('The back of the insurance card. Ignored.'),
    patient_signature_image: z
      .union([Jpeg, Png])
      .nullish()
      .describe('The signature of the patient. Ignored.'),
    subjective: z.string().max(5000).nullish().describe('What the patient reports. Ignored.'),
    assessment_plan: z
      .string()
      .max(5000)
      .nullish()
      .describe('Assessment and plan of the physician. Ignored.'),
    payor_code: z.string().max(100).nullish().describe('The code of the payor. Ignored.'),
    insurance_id: z.string().max(100).nullish().describe('The member id. Ignored.'),
    responsible_relationship: Relationship.nullish().describe(
      'What the responsible person is to the patient. Ignored.',
    ),
    responsible_details: z
      .object({
        first_name: PersonName.describe('The first name.'),
        last_name: PersonName.describe('The last name.'),
        address: Address.describe('The postal address.'),
        phone_number: PhoneNumber.describe('The phone number.'),
        phone_type: z.string().max(50).nullish().describe('The kind of phone.'),
      })
      .nullish()
      .describe('The person responsible for the bill. Ignored.'),
    diagnosis_codes: z
      .array(z.string().max(20))
      .max(50)
      .nullish()
      .describe('ICD-10-CM codes, used when `icd_codes` is absent.'),
  })
  .meta({
    id: 'HealthInsuranceCreateRequest',
    description:
      'For older clients. `diagnosis_codes` are used when `icd_codes` is absent. All other fields are accepted and ' +
      'ignored: an order is billed to the insurance that was created for its user.',
  });

const Consent = z
  .object({
    consentType: z
      .enum([
        'terms-of-use',
        'telehealth-informed-consent',
        'mobile-terms-and-conditions',
        'notice-of-privacy-practices',
        'privacy-policy',
        'hipaa-authorization',
      ])
      .describe('The document that was agreed to.'),
    version: z.string().max(50).default('1.0').describe('Version of the document that was agreed to.'),
    timeOfConsent: z.iso
      .datetime({ offset: true, local: true })
      .optional()
      .describe('ISO 8601 timestamp, in UTC if it has no offset. Defaults to the time of the request.'),
  })
  .meta({ id: 'Consent' });

const AoeAnswer = z
  .object({
    marker_id: z.int().describe('Id of the marker that asks the question.'),
    question_id: z.int().describe('Id of the question, as in the `aoe` of the marker.'),
    answer: z
      .string()
      .max(1000)
      .describe('A number, a text, or the code of a choice. Separate several codes by commas.'),
  })
  .meta({ id: 'AoEAnswer' });

const OrderSet = z
  .object({
    lab_test_ids: z.array(z.guid()).max(50).nullish().describe('Lab tests to order together.'),
    add_on: z
      .object({
        marker_ids: z.array(z.int()).max(200).nullish().describe('Markers to add, by id.'),
        provider_ids: z
          .array(z.string().max(100))
          .max(200)
          .nullish()
          .describe('Markers to add, by the order codes of the laboratory.'),
      })
      .meta({ id: 'AddOnOrder' })
      .nullish()
      .describe('Markers in addition to the lab tests.'),
    lab_account_id: z.guid().nullish().describe('Same as `lab_account_id` of the order.'),
  })
  .meta({ id: 'OrderSetRequest' });

export const CreateOrder = z
  .object({
    user_id: z.guid().describe('The user whom the order is for.'),
    lab_test_id: z
      .guid()
      .nullish()
      .describe('The lab test to order. Either this or `order_set` is required.'),
    order_set: OrderSet.nullish().describe('What to order: lab tests, markers, or both.'),
    collection_method: CollectionMethod.nullish().describe(
      'How specimens are collected. Defaults to that of the lab test.',
    ),
    physician: PhysicianCreateRequest.nullish().describe(
      'The ordering physician. Defaults to that of the lab account, then to one of the service.',
    ),
    health_insurance: HealthInsurance.nullish().describe('Only its diagnosis codes are used.'),
    priority: z.boolean().default(false).describe('Whether to ask the laboratory to hurry (STAT).'),
    billing_type: BillingType.default('client_bill').describe('Who is billed.'),
    icd_codes: z
      .array(z.string().max(20))
      .max(50)
      .nullish()
      .describe('ICD-10-CM diagnosis codes. Required to bill `commercial_insurance`.'),
    consents: z.array(Consent).max(20).default([]).describe('Consents that the patient gave.'),
    activate_by: DateInput.nullish().describe('Holds the order back until this day (UTC). Today or later.'),
    aoe_answers: z.array(AoeAnswer).max(500).nullish().describe('Answers to the questions at order entry.'),
    passthrough: z
      .string()
      .max(5000)
      .nullish()
      .describe('Text of your own, returned with the order and its events.'),
    clinical_notes: z
      .string()
      .max(NOTES_MAX)
      .nullish()
      .describe('Comments for the laboratory. Printed on the requisition where it has room for them.'),
    lab_account_id: z
      .guid()
      .nullish()
      .describe('The lab account to order through. Defaults to an active one at the laboratory.'),
    creator_member_id: z.guid().nullish().describe('Accepted and ignored.'),
    patient_details: PatientDetailsWithValidation.describe('The patient.'),
    patient_address: PatientAddressWithValidation.describe('The address of the patient.'),
    recreate_from_order_id: z.guid().nullish().describe('Extension. The order that this one replaces.'),
    update_reason: z
      .string()
      .min(1)
      .max(100)
      .nullish()
      .describe(
        'Extension. Why it is replaced. INCORRECT_LAB selects the lab account again; others keep it.',
      ),
  })
  .meta({ id: 'CreateOrderRequestCompatible' })
  .transform((order, context) => {
    requireReasonWithReplacement(order, context);
    return { ...order, icd_codes: order.icd_codes ?? order.health_insurance?.diagnosis_codes ?? null };
  });
export type CreateOrder = z.output<typeof CreateOrder>;

/** A replacement needs both the order that it replaces and a reason. */
function requireReasonWithReplacement(
  order: { recreate_from_order_id?: string | null | undefined; update_reason?: string | null | undefined },
  context: z.core.$RefinementCtx<unknown>,
): void {
  const { recreate_from_order_id: replaced, update_reason: reason } = order;
  if ((replaced == null) === (reason == null)) return;
  const path = [replaced == null ? 'recreate_from_order_id' : 'update_reason'];
  const message = 'expected both recreate_from_order_id and update_reason, or neither';
  context.addIssue({ code: 'custom', path, message, input: null });
}

export const ImportOrder = z
  .object({
    user_id: z.guid().describe('The user whom the order is for.'),
    billing_type: BillingType.describe('Who is billed.'),
    order_set: OrderSet.describe('What was ordered: lab tests, markers, or both.'),
    collection_method: CollectionMethod.describe('How specimens are collected.'),
    physician: PhysicianCreateRequest.nullish().describe('The ordering physician.'),
    patient_details: PatientDetailsWithValidation.describe('The patient.'),
    patient_address: PatientAddress.describe('The address of the patient.'),
    sample_id: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .describe('The id of the order at the laboratory. Unique at the laboratory.'),
    lab_account_id: z
      .guid()
      .nullish()
      .describe('The lab account of the order. Defaults to an active one at the laboratory.'),
  })
  .meta({ id: 'ImportOrderBody' });
export type ImportOrder = z.output<typeof ImportOrder>;

export const UpdateOrder = z
  .object({
    activate_by: DateInput.nullable().describe(
      'The new day (UTC) on which the order is released. Null releases it now.',
    ),
  })
  .meta({ id: 'UpdateOrderBody' });

export const UpdateCommunicationSettings = z
  .object({ sms_enabled: z.boolean().describe('Whether the patient gets text messages about the order.') })
  .meta({ id: 'PatchOrderCommunicationSettingsBody' });

export const CreateTestkitOrder = z
  .object({
    user_id: z.guid().describe('The user whom the kit is for.'),
    lab_test_id: z.guid().describe('A lab test that is collected by test kit.'),
    shipping_details: ShippingAddressWithValidation.describe('Where the kit is sent.'),
    passthrough: z
      .string()
      .max(5000)
      .nullish()
      .describe('Text of your own, returned with the order and its events.'),
    lab_account_id: z
      .guid()
      .nullish()
      .describe('The lab account to order through. Defaults to an active one at the laboratory.'),
  })
  .meta({ id: 'CreateRegistrableTestkitOrderRequest' });
export type CreateTestkitOrder = z.output<typeof CreateTestkitOrder>;

export const RegisterTestkit = z
  .object({
    user_id: z
      .guid()
      .nullish()
      .describe(
        'The user that the kit belongs to from now on, even if it was ordered for another one. Defaults to the user with the e-mail address of the patient, then to the user it was ordered for.',
      ),
    sample_id: z.string().trim().min(1).max(100).describe('The sample id that is printed on the kit.'),
    patient_details: PatientDetailsWithValidation.describe('The patient.'),
    patient_address: PatientAddressWithValidation.describe('The address of the patient.'),
    physician: PhysicianCreateRequestBase.nullish().describe('The ordering physician.'),
    health_insurance: HealthInsurance.nullish().describe('Only its diagnosis codes are used.'),
    consents: z.array(Consent).max(20).default([]).describe('Consents that the patient gave.'),
  })
  .meta({ id: 'RegisterTestkitRequest' });
export type RegisterTestkit = z.output<typeof RegisterTestkit>;

const listFilter = <S extends z.ZodType>(item: S) => z.array(item).max(500).nullish();
const timestamp = z.iso.datetime({ offset: true, local: true }).or(z.iso.date());

const LowLevelStatus = z.enum([...STEPS, 'registered']).meta({ id: 'OrderLowLevelStatus' });

export const OrderFilters = z.object({
  search_input: z.string().max(200).nullish(),
  start_date: timestamp.nullish(),
  end_date: timestamp.nullish(),
  updated_start_date: timestamp.nullish(),
  updated_end_date: timestamp.nullish(),
  status: listFilter(LowLevelStatus),
  order_key: z.enum(['created_at', 'patient_name', 'last_status']).nullish(),
  order_direction: z.enum(['asc', 'desc']).nullish(),
  order_type: listFilter(z.enum(MODALITIES)),
  is_critical: z.boolean().nullish(),
  interpretation: Interpretation.nullish(),
  order_activation_types: listFilter(z.enum(['current', 'scheduled'])),
  user_id: z.guid().nullish(),
  patient_name: z.string().max(200).nullish(),
  shipping_recipient_name: z.string().max(200).nullish(),
  order_ids: listFilter(z.guid()),
  order_transaction_id: z.guid().nullish(),
  lab_test_id: z.guid().nullish().describe('Extension. Only orders of this lab test.'),
  page: z.int().min(1).max(100_000).default(1),
  size: z.int().min(1).max(500).default(50),
});
export type OrderFilters = z.output<typeof OrderFilters>;

export const OrderExportFilters = OrderFilters.omit({
  order_key: true,
  order_direction: true,
  page: true,
  size: true,
});
export type OrderExportFilters = z.output<typeof OrderExportFilters>;
