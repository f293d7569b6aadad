import { z } from 'zod';
import { GivenDay } from '../platform/given-moments.ts';
import type { Work } from '../platform/work.ts';
import { getEnvironment } from './team-store.ts';

export const BrandInformation = z
  .object({
    company_name: z.string().max(200),
    company_website: z.string().max(2083).default(''),
    support_email: z.email().max(254).optional(),
    support_contact: z.string().max(200).nullable().default(''),
    company_address: z.string().max(500).default(''),
    brand_color: z.string().max(40).default(''),
  })
  .meta({ id: 'BrandInformation' });

/** What a team may set for one environment; what is not set has its default here. */
export const TeamSettings = z.object({
  lab_tests_patient_sms_communication_enabled: z.boolean().default(true),
  lab_tests_patient_email_communication_enabled: z.boolean().default(true),
  critical_result_notification_email: z.string().nullable().default(null),
  /** Ours. How long a critical result may wait to be read back before it is escalated. */
  critical_result_escalation_minutes: z.int().min(1).max(1440).default(60),
  brand_information: BrandInformation.nullable().default(null),
  logo_url: z.string().nullable().default(null),
  reject_duplicate_connection: z.boolean().default(false),
  sdk_per_device_activity_timeseries: z.boolean().default(false),
  partial_webhooks_enabled: z.boolean().default(false),
  minor_ordering_enabled: z.boolean().default(false),
  /** Ours. Whether a visit can be booked before the order has its requisition; it is reserved until then. */
  booking_before_requisition_enabled: z.boolean().default(false),
  /** Ours. Whether lab reports that are doubtful, or sent for it, wait for a person before they count as read. */
  lab_report_review_enabled: z.boolean().default(false),
  /** Until this day orders on delegated accounts are taken without a physician, with a warning. */
  physician_grace_until: GivenDay.nullable().default(null),
  /** The number of users that the team may have; null is no limit. */
  max_users: z.int().min(0).nullable().default(null),
});
export type TeamSettings = z.output<typeof TeamSettings>;

/** The settings of the tenant. */
export async function teamSettings({ tx, tenant }: Work): Promise<TeamSettings> {
  return TeamSettings.parse((await getEnvironment(tx, tenant)).settings);
}

/** Closed-beta areas; teams made in sandbox have them on. */
export const FEATURES = [
  'lab_report_parsing',
  'order_import',
  'abn',
  'compendium',
  'unmatched_results',
  'on_site_collection',
] as const;
export type Feature = (typeof FEATURES)[number];
