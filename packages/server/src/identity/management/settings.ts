import { z } from 'zod';
import { DateInput } from '../../platform/timestamp-input.ts';
import type { Work } from '../../platform/work.ts';
import { getEnvironment } from './team-store.ts';

export const BrandInformation = z
  .object({
    company_name: z.string().max(200).describe('The name that patients see.'),
    company_website: z.string().max(2083).default('').describe('The URL of the website.'),
    support_email: z.email().max(254).optional().describe('The e-mail address of the support.'),
    support_contact: z
      .string()
      .max(200)
      .nullable()
      .default('')
      .describe('Another contact, such as a phone number.'),
    company_address: z.string().max(500).default('').describe('The postal address, as one text.'),
    brand_color: z.string().max(40).default('').describe('The main color.'),
  })
  .meta({ id: 'BrandInformation' });

export const LAB_REPORT_PDFS = ['own', 'laboratory'] as const;

/** The settings of a team for one environment, with their defaults. */
export const TeamSettings = z.object({
  lab_tests_patient_sms_communication_enabled: z.boolean().default(true),
  lab_tests_patient_email_communication_enabled: z.boolean().default(true),
  critical_result_notification_email: z.string().nullable().default(null),
  /** Extension. Minutes until a critical result that was not read back is escalated. */
  critical_result_escalation_minutes: z.int().min(1).max(1440).default(60),
  brand_information: BrandInformation.nullable().default(null),
  logo_url: z.string().nullable().default(null),
  /** Extension. The schemes of the team's apps that a user may be sent back to, besides https. */
  allowed_redirect_schemes: z.array(z.string()).default([]),
  reject_duplicate_connection: z.boolean().default(false),
  sdk_per_device_activity_timeseries: z.boolean().default(false),
  partial_webhooks_enabled: z.boolean().default(false),
  minor_ordering_enabled: z.boolean().default(false),
  /** Extension. Whether patients see their results on the hosted page, by a URL that the team sends them. */
  patient_results_enabled: z.boolean().default(false),
  /** Extension. Whether a visit can be booked before the requisition exists; until then it is only reserved. */
  booking_before_requisition_enabled: z.boolean().default(false),
  /** Extension. Whether uncertain lab reports, or those sent for review, wait for a person's review. */
  lab_report_review_enabled: z.boolean().default(false),
  /** Extension. Which PDF of the results is served: our own, or the laboratory's where it sent one. */
  lab_report_pdf: z.enum(LAB_REPORT_PDFS).default('own'),
  /** Until this day orders on delegated accounts are accepted without a physician, with a warning. */
  physician_grace_until: DateInput.nullable().default(null),
  /** The maximum number of users; null: no limit. */
  max_users: z.int().min(0).nullable().default(null),
  /** Extension. Rate limits in units per minute; null: those of the configuration, 0: none. */
  rate_limit_team: z.int().min(0).nullable().default(null),
  rate_limit_key: z.int().min(0).nullable().default(null),
});
export type TeamSettings = z.output<typeof TeamSettings>;

/** The settings of the tenant. */
export async function readTeamSettings({ tx, tenant }: Work): Promise<TeamSettings> {
  return TeamSettings.parse((await getEnvironment(tx, tenant)).settings);
}

/** Closed-beta features; enabled by default in the sandbox. */
export const FEATURES = [
  'lab_report_parsing',
  'order_import',
  'abn',
  'compendium',
  'unmatched_results',
  'on_site_collection',
] as const;
