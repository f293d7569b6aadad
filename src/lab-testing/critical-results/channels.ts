/** The ways by which somebody may be told. */
export const CHANNELS = [
  'phone',
  'in_person',
  'secure_message',
  'electronic_record',
  'fax',
  'other',
] as const;
export type Channel = (typeof CHANNELS)[number];
