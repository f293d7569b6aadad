import type { TeamChanges } from './use-team-settings.ts';

interface SwitchField {
  readonly name:
    | 'lab_tests_patient_email_communication_enabled'
    | 'lab_tests_patient_sms_communication_enabled'
    | 'minor_ordering_enabled'
    | 'partial_webhooks_enabled'
    | 'booking_before_requisition_enabled'
    | 'patient_results_enabled'
    | 'lab_report_review_enabled'
    | 'reject_duplicate_connection'
    | 'sdk_per_device_activity_timeseries';
  readonly label: string;
  readonly description: string;
}

/** What a team turns on and off, in the order of the page. */
export const SWITCHES: readonly SwitchField[] = [
  {
    name: 'lab_tests_patient_email_communication_enabled',
    label: 'E-mails to patients',
    description: 'About their lab tests: shipment, appointment, results.',
  },
  {
    name: 'lab_tests_patient_sms_communication_enabled',
    label: 'Text messages to patients',
    description: 'About their lab tests.',
  },
  {
    name: 'minor_ordering_enabled',
    label: 'Orders for minors',
    description: 'Accepts orders for patients under 18.',
  },
  {
    name: 'partial_webhooks_enabled',
    label: 'Events for partial results',
    description: 'Each set of values is told as it arrives, not only the whole.',
  },
  {
    name: 'booking_before_requisition_enabled',
    label: 'Visits before the requisition',
    description: 'An appointment can be booked before the laboratory has the order.',
  },
  {
    name: 'patient_results_enabled',
    label: 'Results for patients',
    description:
      'A signed link shows a patient the results of an order. Critical values are shown after their read-back.',
  },
  {
    name: 'lab_report_review_enabled',
    label: 'Review of uncertain lab reports',
    description: 'Uploaded reports with doubtful values wait at the review desk.',
  },
  {
    name: 'reject_duplicate_connection',
    label: 'One user for each provider account',
    description: 'A second user cannot connect the same wearable account.',
  },
  {
    name: 'sdk_per_device_activity_timeseries',
    label: 'Activity of each device',
    description: 'Mobile SDKs send activity of each device apart.',
  },
];

interface FeatureField {
  readonly value: NonNullable<TeamChanges['features']>[number];
  readonly label: string;
  readonly description: string;
}

export const FEATURES: readonly FeatureField[] = [
  {
    value: 'lab_report_parsing',
    label: 'Lab report parsing',
    description: 'Reads values from uploaded reports.',
  },
  {
    value: 'order_import',
    label: 'Order import',
    description: 'Takes over orders that were placed elsewhere.',
  },
  {
    value: 'abn',
    label: 'Advance beneficiary notices',
    description: 'Asks patients to sign for what insurance may not pay.',
  },
  {
    value: 'compendium',
    label: 'Compendium',
    description: 'Searches and converts the compendia of laboratories.',
  },
  {
    value: 'unmatched_results',
    label: 'Unmatched results',
    description: 'Results without an order wait for a decision.',
  },
  {
    value: 'on_site_collection',
    label: 'On-site collection',
    description: 'Samples are collected at your own sites.',
  },
];
