import type { App } from '../../app.ts';
import { requireFound } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { readScannedPage } from '../../platform/http/page.ts';
import { openRequestIds } from './request-ids.ts';
import {
  RequestLogEntryView,
  RequestLogPageView,
  RequestLogParams,
  RequestLogQuery,
  toRequestLogEntryView,
  toRequestLogFilter,
} from './schema.ts';
import { findRequest, scanRequests } from './store.ts';

const LOG_PATH = '/v1/request-log';
const tag = 'Team';
/** How many requests a page looks at. */
const SCAN_MAX = 20_000;

/** The requests to the team API, for those who integrate with it. Extension. */
export function requestLogRoutes(http: Http, app: App): void {
  http.get(LOG_PATH, {
    schema: {
      operationId: 'listRequests',
      summary: 'List the requests of a team',
      description:
        'Extension. Newest first. Every request to the team API by a key, a token or a session of the team, without ' +
        'values: not those that were not authenticated or not permitted. Written every second; a killed process loses ' +
        'the last second. Kept for 7 days, or as the retention settings say.',
      tag,
      query: RequestLogQuery,
      response: { 200: RequestLogPageView },
    },
    handler: async ({ work, query }) => {
      const ids = openRequestIds(app, work.tenant);
      const filter = toRequestLogFilter(query);
      const { items, next_cursor } = await readScannedPage(query, ids, (page) =>
        scanRequests(work, filter, { ...page, scanMax: SCAN_MAX }),
      );
      return { data: items.map((row) => toRequestLogEntryView(row, ids)), next_cursor };
    },
  });
  http.get(`${LOG_PATH}/:request_log_id`, {
    schema: {
      operationId: 'getRequest',
      summary: 'Get a request of the log',
      description: 'Extension.',
      tag,
      params: RequestLogParams,
      response: { 200: RequestLogEntryView },
    },
    handler: async ({ work, params }) => {
      const ids = openRequestIds(app, work.tenant);
      const position = ids.toPosition(params.request_log_id);
      const row = position && (await findRequest(work, position));
      return toRequestLogEntryView(requireFound(row, 'Request'), ids);
    },
  });
}
