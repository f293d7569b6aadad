import { z } from 'zod';

/** The providers whose data phones push. */
// prettier-ignore
const PHONE_PROVIDERS = [
  'apple_health_kit', 'health_connect', 'samsung_health', 'manual', 'beurer_ble', 'omron_ble', 'onetouch_ble',
  'accuchek_ble', 'contour_ble', 'freestyle_libre_ble',
] as const;
export type PhoneProvider = (typeof PHONE_PROVIDERS)[number];

export const PhoneProviderName = z.enum(PHONE_PROVIDERS);

/** What the mobile SDKs add to pushed data. `stage` tells their requests from those of a team. */
export const phoneFields = {
  stage: z
    .enum(['historical', 'daily'])
    .nullish()
    .describe('Sent by the mobile SDKs: `data` then has their form, and the history is told once.'),
  provider: PhoneProviderName.nullish().describe('With `stage`: whose data these are.'),
  start_date: z.string().max(40).nullish().describe('With `stage`: the start of the history.'),
  end_date: z.string().max(40).nullish().describe('With `stage`: the end of the history.'),
  time_zone: z.string().max(100).nullish().describe('With `stage`: the IANA time zone of the phone.'),
  is_final_chunk: z
    .boolean()
    .nullish()
    .describe('With `stage`: whether the history of the resource ends here.'),
};

/** The fields above of a request of an SDK. */
export interface PhonePush {
  readonly stage?: 'historical' | 'daily' | null | undefined;
  readonly provider?: PhoneProvider | null | undefined;
  readonly time_zone?: string | null | undefined;
  readonly is_final_chunk?: boolean | null | undefined;
  readonly data: unknown;
}
