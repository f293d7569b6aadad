import type { Definition, Means } from '../definition.ts';
import { refused } from '../signatures.ts';
import * as pull from './pull.ts';
import { DexcomRange } from './wire.ts';

const HOST = 'https://api.dexcom.com';
/** The longest time that it answers at once. */
const WINDOW_DAYS = 30;

// prettier-ignore
export const dexcom: Definition = {
  slug: 'dexcom_v3',
  name: 'Dexcom',
  api: HOST,
  oauth: {
    authorize: `${HOST}/v2/oauth2/login`,
    token: `${HOST}/v2/oauth2/token`,
    clientAuth: 'post',
    pkce: false,
    scopeSeparator: ' ',
    always: ['offline_access'],
  },
  resources: {
    glucose:           { scopes: [], windowDays: WINDOW_DAYS, pull: pull.glucose },
    insulin_injection: { scopes: [], windowDays: WINDOW_DAYS, pull: pull.insulin },
    carbohydrates:     { scopes: [], windowDays: WINDOW_DAYS, pull: pull.carbohydrates },
    workout_duration:  { scopes: [], windowDays: WINDOW_DAYS, pull: pull.exercise },
  },
  // What a phone sends is told an hour later at the earliest.
  news: { kind: 'poll', everySeconds: 900 },
  historicalDays: 90,
  // It has nothing to take a grant back by: the user does it in the account, and the token ends by itself.
  afterGrant,
  readNews: () => refused('Dexcom sends no news'),
};

async function afterGrant({ api }: Means): Promise<{ externalUserId?: string }> {
  const range = await api.find(DexcomRange, '/v3/users/self/dataRange', { absent: [400, 401, 403, 404] });
  return range?.userId == null ? {} : { externalUserId: range.userId };
}
