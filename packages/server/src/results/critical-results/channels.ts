/** The channels by which a person may be notified. */
export const NOTIFICATION_CHANNELS = [
  'phone',
  'in_person',
  'secure_message',
  'electronic_record',
  'fax',
  'other',
] as const;
export type NotificationChannel = (typeof NOTIFICATION_CHANNELS)[number];
