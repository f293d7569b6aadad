import type { App } from '../../app.ts';
import { found } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import type { Asked, TeamPrincipal } from '../../platform/http/route.ts';
import { readSigned } from '../link/portal.ts';
import { sampledAt } from '../taking-in/taking-in.ts';
import { pushSamples, pushSummaries } from './push.ts';
import {
  BODY_BYTES_MAX,
  ITEMS_MAX,
  Pushed,
  PushSamples,
  PushSummaries,
  SamplesParams,
  SummariesParams,
} from './schema.ts';

const limits = { limitBytes: BODY_BYTES_MAX, itemsMax: ITEMS_MAX };
const description =
  'From an app of the team’s own, with its key, or with the sign-in token of the user as a bearer token. As JSON, or ' +
  'as NDJSON with a line for each item of `data`; either may be packed with gzip. ' +
  `At most ${ITEMS_MAX} items and ${BODY_BYTES_MAX} bytes, unpacked, in one request; 413 beyond. The newest ` +
  'version wins, and what is known already changes nothing, so that a request can be sent again. What cannot be ' +
  'kept is named in `refused`, and the rest is kept; 422 where nothing could be.';

export function pushRoutes(http: Http, app: App): void {
  const userOf = async ({ authorization }: Asked['headers']) => {
    const [, token] = /^Bearer (\S+)$/i.exec(String(authorization)) ?? [];
    return token === undefined ? undefined : readSigned(app, 'sign_in', token);
  };
  http.batch('/v2/timeseries/:user_id/:timeseries_resource', {
    limits,
    userOf,
    schema: {
      operationId: 'pushTimeseries',
      summary: 'Push samples of a user (ours)',
      description,
      tag: 'Timeseries',
      params: SamplesParams,
      body: PushSamples,
      response: { 200: Pushed },
    },
    handler: ({ work, params, body, principal }) =>
      pushSamples(
        work,
        { userId: ownOf(principal, params), resource: sampledAt(params.timeseries_resource) },
        body,
      ),
  });
  http.batch('/v2/summary/:summary_resource/:user_id', {
    limits,
    userOf,
    schema: {
      operationId: 'pushSummaries',
      summary: 'Push summaries of a user (ours)',
      description,
      tag: 'Summaries',
      params: SummariesParams,
      body: PushSummaries,
      response: { 200: Pushed },
    },
    handler: ({ work, params, body, principal }) =>
      pushSummaries(work, { userId: ownOf(principal, params), resource: params.summary_resource }, body),
  });
}

/** The user of the path; for the app of a user nobody else is there. */
const ownOf = ({ userId }: TeamPrincipal, { user_id: asked }: { readonly user_id: string }): string =>
  found(userId === undefined || userId === asked.toLowerCase() ? asked : undefined, 'User');
