import { DAY } from '../../../platform/clock.ts';
import type { NotificationContext } from '../definition.ts';
import type {
  NotificationResult,
  ProviderApplication,
  ProviderNotification,
  ProviderTimeSpan,
  ProviderWebhookRequest,
} from '../port.ts';
import { parseInstant } from '../times.ts';
import {
  createNotificationToken,
  isSameSecret,
  parseJsonBody,
  toChallengeResponse,
  toRefusal,
} from '../webhook-authentication.ts';
import { verifySignature } from './keyset.ts';
import { Notifications, type GoogleNotification } from './wire.ts';

/** The resources that a data type affects. */
// prettier-ignore
const RESOURCES: Readonly<Record<string, readonly string[]>> = {
  'steps':                               ['activity', 'steps'],
  'distance':                            ['activity'],
  'floors':                              ['activity'],
  'total-calories':                      ['activity'],
  'active-energy-burned':                ['activity'],
  'active-minutes':                      ['activity'],
  'activity-level':                      ['activity'],
  'daily-resting-heart-rate':            ['activity'],
  'exercise':                            ['workouts'],
  'heart-rate':                          ['heartrate'],
  'sleep':                               ['sleep'],
  'weight':                              ['body', 'weight'],
  'body-fat':                            ['body', 'fat'],
  'height':                              ['profile'],
  'hydration-log':                       ['water'],
  'daily-heart-rate-variability':        ['hrv'],
  'daily-oxygen-saturation':             ['blood_oxygen'],
  'daily-respiratory-rate':              ['respiratory_rate'],
  'daily-sleep-temperature-derivations': ['body_temperature_delta'],
  'daily-vo2-max':                       ['vo2_max'],
  'run-vo2-max':                         ['vo2_max'],
};

/** Google's reference names the first header, its guide the second. */
const SIGNATURE_HEADERS = ['x-healthapi-signature', 'google-health-api-signature'] as const;

/**
 * A subscriber is verified by two requests: one with its secret, which must get 201, and one without, which must get
 * 401. Notifications repeat the secret and are signed.
 */
export async function parseNotification(
  app: ProviderApplication,
  { method, headers, body }: ProviderWebhookRequest,
  context: NotificationContext,
): Promise<NotificationResult> {
  if (method !== 'POST') return toChallengeResponse(405, '');
  if (!hasSecret(app, headers['authorization'])) return toRefusal('The secret is missing or wrong');
  const given = parseJsonBody(body);
  if (isVerification(given)) return toChallengeResponse(201, '');
  const signature = SIGNATURE_HEADERS.map((name) => headers[name]).find((value) => value !== undefined);
  if (signature === undefined || !(await verifySignature(context, { signature, body })))
    return toRefusal('The signature is missing or wrong');
  const read = Notifications.safeParse(given);
  if (!read.success) return toRefusal('The notification cannot be read');
  return { kind: 'news', status: 204, news: read.data.flatMap(toNotification) };
}

/** One of the team's verification codes, or the token derived from the client secret; with or without `Bearer`. */
function hasSecret(app: ProviderApplication, authorization: string | undefined): boolean {
  const secrets = [...(app.webhookSecrets ?? []), createNotificationToken(app, 'fitbit')];
  const given = authorization?.replace(/^Bearer /i, '');
  return secrets.some(
    (secret) => isSameSecret(authorization, secret) || isSameSecret(given, secret.replace(/^Bearer /i, '')),
  );
}

const isVerification = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && 'type' in given && given.type === 'verification';

function toNotification({ data }: GoogleNotification): ProviderNotification[] {
  const resources = RESOURCES[data.dataType];
  if (!resources) return [];
  return [
    { externalUserId: data.healthUserId, resources, span: toSpan(data.intervals), deregistered: false },
  ];
}

/** The time that covers all intervals. Local times are read as UTC: the receiver adds a day on either side. */
function toSpan(intervals: GoogleNotification['data']['intervals']): ProviderTimeSpan | null {
  const times = (intervals ?? []).flatMap(({ physicalTimeInterval, civilIso8601TimeInterval }) => {
    const interval = physicalTimeInterval ?? civilIso8601TimeInterval;
    if (!interval) return [];
    const start = parseInstant(interval.startTime).at;
    return [start, interval.endTime == null ? start + DAY : parseInstant(interval.endTime).at];
  });
  if (times.length === 0) return null;
  return { from: new Date(Math.min(...times)), to: new Date(Math.max(...times) + 1) };
}
