import type { components } from '../../api/openapi.d.ts';

export type Kept = components['schemas']['Retention']['data'][number];

/** What each kind of data is, in the words of the page. */
export const RETENTION_KINDS: Readonly<
  Record<Kept['kind'], { readonly label: string; readonly text: string }>
> = {
  events: { label: 'Events', text: 'The event log that webhooks are sent from.' },
  webhook_attempts: { label: 'Webhook attempts', text: 'Deliveries with their requests and answers.' },
  access_log: { label: 'Access log', text: 'Who read what of whom.' },
  request_log: { label: 'Request log', text: 'Requests to the API, without their values.' },
  lab_report_files: {
    label: 'Lab report files',
    text: 'Uploaded files; the values that were read from them stay.',
  },
  lab_messages: { label: 'Laboratory messages', text: 'Bodies of messages from and to laboratories.' },
  wearable_raw: { label: 'Wearable payloads', text: 'As providers sent them; the readings stay.' },
};
