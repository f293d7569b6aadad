import type { ProviderDefinition, ProviderCallContext } from '../definition.ts';
import { toRefusal } from '../webhook-authentication.ts';
import * as pull from './pull.ts';
import { DexcomRange } from './wire.ts';

const HOST = 'https://api.dexcom.com';
/** An account belongs to one of them. The sandbox has test users only. */
const ORIGINS: Readonly<Record<string, string>> = {
  us: HOST,
  eu: 'https://api.dexcom.eu',
  jp: 'https://api.dexcom.jp',
  sandbox: 'https://sandbox-api.dexcom.com',
};
const CHOICES = [
  { region: 'us', label: 'United States' },
  { region: 'jp', label: 'Japan' },
  { region: 'eu', label: 'Another country' },
];
/** All countries but the United States and Japan share one host. */
const findRegion = (region: string): string | undefined =>
  region in ORIGINS ? region : /^[a-z]{2}$/.test(region) ? 'eu' : undefined;

/** Maximum length of one request. */
const WINDOW_DAYS = 30;

// prettier-ignore
export const dexcom: ProviderDefinition = {
  slug: 'dexcom_v3',
  name: 'Dexcom',
  api: HOST,
  oauth: {
    authorize: `${HOST}/v2/oauth2/login`,
    token: `${HOST}/v2/oauth2/token`,
    clientAuth: 'post',
    pkce: false,
    scopeSeparator: ' ',
    requiredScopes: ['offline_access'],
  },
  regions: { origins: ORIGINS, find: findRegion, choices: CHOICES },
  resources: {
    glucose:           { scopes: [], windowDays: WINDOW_DAYS, pull: pull.glucose },
    insulin_injection: { scopes: [], windowDays: WINDOW_DAYS, pull: pull.insulin },
    carbohydrates:     { scopes: [], windowDays: WINDOW_DAYS, pull: pull.carbohydrates },
    workout_duration:  { scopes: [], windowDays: WINDOW_DAYS, pull: pull.exercise },
  },
  // Dexcom publishes data from phones with a delay of at least one hour.
  news: { kind: 'poll', everySeconds: 900 },
  historicalDays: 90,
  // Dexcom has no revocation endpoint: users revoke in their account, and tokens expire.
  afterGrant,
  parseNotification: () => toRefusal('Dexcom sends no notifications'),
};

async function afterGrant({ api }: ProviderCallContext): Promise<{ externalUserId?: string }> {
  const range = await api.find(DexcomRange, '/v3/users/self/dataRange', {
    emptyStatuses: [400, 401, 403, 404],
  });
  return range?.userId == null ? {} : { externalUserId: range.userId };
}
