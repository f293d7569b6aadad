import type { App } from '../../app.ts';
import { requireFound } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import type { AuthenticationRequest, TeamPrincipal } from '../../platform/http/route.ts';
import { authenticateUser } from '../user-apps/user-apps.ts';
import { getResourceByPath } from '../ingestion/ingestion.ts';
import { PHONE_SAMPLES, pushFromPhone } from '../phone/phone.ts';
import type { SampledResource } from '../../readings/readings.ts';
import { pushSamples, pushSummaries, toPhoneResult } from './push.ts';
import {
  BODY_BYTES_MAX,
  ITEMS_MAX,
  PushResult,
  PushSamples,
  PushSummaries,
  SamplesParams,
  SummariesParams,
} from './schema.ts';

const limits = { limitBytes: BODY_BYTES_MAX, itemsMax: ITEMS_MAX };
const description =
  'Authenticated with an API key, or with the sign-in token or access token of the user’s app as a bearer token. The ' +
  'body is JSON, or ' +
  'NDJSON with one line per item of `data`, optionally gzipped. ' +
  `At most ${ITEMS_MAX} items and ${BODY_BYTES_MAX} uncompressed bytes per request, else 413. Idempotent: the ` +
  'newest version wins, and known data changes nothing. Invalid items are listed in `refused` and the others are ' +
  'stored; 422 if no item could be stored. The mobile SDKs send `stage` and their own form of `data`; then the response ' +
  'is 200 also if nothing could be stored.';

export function pushRoutes(http: Http, app: App): void {
  const userOf = (asked: AuthenticationRequest) => authenticateUser(app, asked);
  http.batch('/v2/timeseries/:user_id/:timeseries_resource', {
    limits,
    userOf,
    opensToUsers: true,
    schema: {
      operationId: 'pushTimeseries',
      summary: 'Push samples of a user (extension)',
      description,
      tag: 'Timeseries',
      params: SamplesParams,
      body: PushSamples,
      response: { 200: PushResult },
    },
    handler: async ({ work, params: { user_id, timeseries_resource: name }, body, principal }) => {
      const at = { userId: resolveUserId(principal, user_id), name, resource: resourceOfPath(name) };
      return body.stage == null
        ? pushSamples(work, at, { ...body, data: itemsOf(body) })
        : toPhoneResult(await pushFromPhone(work, at, body));
    },
  });
  http.batch('/v2/summary/:summary_resource/:user_id', {
    limits,
    userOf,
    opensToUsers: true,
    schema: {
      operationId: 'pushSummaries',
      summary: 'Push summaries of a user (extension)',
      description,
      tag: 'Summaries',
      params: SummariesParams,
      body: PushSummaries,
      response: { 200: PushResult },
    },
    handler: async ({ work, params: { user_id, summary_resource: name }, body, principal }) => {
      const at = { userId: resolveUserId(principal, user_id), name, resource: name };
      return body.stage == null
        ? pushSummaries(work, at, { ...body, data: itemsOf(body) })
        : toPhoneResult(await pushFromPhone(work, at, body));
    },
  });
}

const itemsOf = ({ data }: { readonly data: unknown }): unknown[] => (Array.isArray(data) ? data : []);

/** The resource of a URL name, also of those that only the mobile SDKs use. */
const resourceOfPath = (name: string): SampledResource =>
  PHONE_SAMPLES[name]?.resource ?? getResourceByPath(name);

/** The user of the path. With the token of a user, any other user is a 404. */
const resolveUserId = ({ userId }: TeamPrincipal, asked: string): string =>
  requireFound(userId === undefined || userId === asked.toLowerCase() ? asked : undefined, 'User');
