import type { App } from '../../app.ts';
import { requireFound } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import type { AuthenticationRequest, TeamPrincipal } from '../../platform/http/route.ts';
import { authenticateUser } from '../link/portal.ts';
import { getResourceByPath } from '../ingestion/ingestion.ts';
import { pushSamples, pushSummaries } from './push.ts';
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
  'Authenticated with an API key, or with the sign-in token of the user as a bearer token. The body is JSON, or ' +
  'NDJSON with one line per item of `data`, optionally gzipped. ' +
  `At most ${ITEMS_MAX} items and ${BODY_BYTES_MAX} uncompressed bytes per request, else 413. Idempotent: the ` +
  'newest version wins, and known data changes nothing. Invalid items are listed in `refused` and the others are ' +
  'stored; 422 if no item could be stored.';

export function pushRoutes(http: Http, app: App): void {
  const userOf = (asked: AuthenticationRequest) => authenticateUser(app, asked);
  http.batch('/v2/timeseries/:user_id/:timeseries_resource', {
    limits,
    userOf,
    schema: {
      operationId: 'pushTimeseries',
      summary: 'Push samples of a user (extension)',
      description,
      tag: 'Timeseries',
      params: SamplesParams,
      body: PushSamples,
      response: { 200: PushResult },
    },
    handler: ({ work, params, body, principal }) =>
      pushSamples(
        work,
        { userId: resolveUserId(principal, params), resource: getResourceByPath(params.timeseries_resource) },
        body,
      ),
  });
  http.batch('/v2/summary/:summary_resource/:user_id', {
    limits,
    userOf,
    schema: {
      operationId: 'pushSummaries',
      summary: 'Push summaries of a user (extension)',
      description,
      tag: 'Summaries',
      params: SummariesParams,
      body: PushSummaries,
      response: { 200: PushResult },
    },
    handler: ({ work, params, body, principal }) =>
      pushSummaries(
        work,
        { userId: resolveUserId(principal, params), resource: params.summary_resource },
        body,
      ),
  });
}

/** The user of the path. With a sign-in token, any other user is a 404. */
const resolveUserId = ({ userId }: TeamPrincipal, { user_id: asked }: { readonly user_id: string }): string =>
  requireFound(userId === undefined || userId === asked.toLowerCase() ? asked : undefined, 'User');
