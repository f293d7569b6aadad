import type { ProviderDefinition, ProviderCallContext } from '../definition.ts';
import { type Grant } from '../port.ts';
import * as body from './body.ts';
import * as days from './days.ts';
import { parseNotification } from './notifications.ts';
import { USER } from './requests.ts';
import * as samples from './samples.ts';
import { fromGoogleScopes, toGoogleScopes } from './scopes.ts';
import * as sessions from './sessions.ts';
import { Identity } from './wire.ts';

/** Days are local, and the time zone is in the settings. */
const withProfileScope = (...scopes: string[]) => [...scopes, 'profile'];

/**
 * Fitbit by the Google Health API v4. Its own Web API was shut down on 2026-11-02; grants for it are worth nothing
 * here, so users have to connect again.
 */
// prettier-ignore
export const fitbit: ProviderDefinition = {
  slug: 'fitbit',
  name: 'Fitbit',
  api: 'https://health.googleapis.com',
  oauth: {
    authorize: 'https://accounts.google.com/o/oauth2/v2/auth',
    token: 'https://oauth2.googleapis.com/token',
    revoke: 'https://oauth2.googleapis.com/revoke',
    clientAuth: 'post',
    pkce: true,
    scopeSeparator: ' ',
    requiredScopes: [],
    // Google issues a refresh token only for offline access, and to a returning user only after consent.
    authorizeParameters: { access_type: 'offline', prompt: 'consent' },
    toProviderScopes: toGoogleScopes,
    fromProviderScopes: fromGoogleScopes,
  },
  replacesEarlierApi: true,
  // Google limits requests for active minutes and calories to 14 calendar days, for other sums to 90.
  resources: {
    profile:                { scopes: ['profile'],                            pull: body.profile },
    activity:               { scopes: withProfileScope('activity', 'heartrate'), windowDays: 13, pull: days.activity },
    sleep:                  { scopes: ['sleep'],                              windowDays: 90, pull: sessions.sleep },
    workouts:               { scopes: withProfileScope('activity'),           windowDays: 90, pull: sessions.workouts },
    body:                   { scopes: ['weight'],                             windowDays: 90, pull: body.body },
    weight:                 { scopes: ['weight'],                             windowDays: 90, pull: body.weight },
    fat:                    { scopes: ['weight'],                             windowDays: 90, pull: body.fat },
    heartrate:              { scopes: withProfileScope('heartrate'),          windowDays: 7,  pull: samples.heartrate },
    steps:                  { scopes: withProfileScope('activity'),           windowDays: 30, pull: samples.steps },
    hrv:                    { scopes: withProfileScope('heartrate'),          windowDays: 90, pull: days.hrv },
    respiratory_rate:       { scopes: withProfileScope('respiratory_rate'),   windowDays: 90, pull: days.respiratoryRate },
    blood_oxygen:           { scopes: withProfileScope('oxygen_saturation'),  windowDays: 90, pull: days.bloodOxygen },
    body_temperature_delta: { scopes: withProfileScope('temperature'),        windowDays: 90, pull: days.temperatureDelta },
    vo2_max:                { scopes: withProfileScope('cardio_fitness'),     windowDays: 90, pull: days.vo2Max },
    water:                  { scopes: withProfileScope('nutrition'),          windowDays: 60, pull: days.water },
  },
  // Not dated: a deployment may have no subscriber, and then polls have to look for late data.
  news: { kind: 'webhook', dated: false },
  historicalDays: 90,
  afterGrant,
  parseNotification,
};

/** Notifications name users by their id at Google Health, not by that of their Google account. */
async function afterGrant({ api }: ProviderCallContext): Promise<Partial<Grant>> {
  const identity = await api.find(Identity, `${USER}/identity`, { emptyStatuses: [400, 401, 403, 404] });
  return identity === undefined ? {} : { externalUserId: identity.healthUserId };
}
