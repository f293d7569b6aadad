import { isoTimestamp } from '../platform/clock.ts';
import type { Http } from '../platform/http/http.ts';
import { readSortedPage, timedPositions } from '../platform/http/page.ts';
import { getUser } from '../users/users/users.ts';
import { statusOf } from './job.ts';
import { ParsingJobFailureReason, UserReportsList, UserReportsParams, UserReportsQuery } from './schema.ts';
import * as store from './store.ts';

/** The uploaded lab reports of one user. Extension. */
export function userReportRoutes(http: Http): void {
  http.get('/v1/user/:user_id/lab-reports', {
    schema: {
      operationId: 'listUserLabReports',
      summary: 'List the lab reports of a user',
      description:
        'Extension. All uploaded lab reports of the user in every status, newest first, without what was read. Teams ' +
        'without lab report parsing have an empty list.',
      tag: 'Lab reports',
      params: UserReportsParams,
      query: UserReportsQuery,
      response: { 200: UserReportsList },
    },
    handler: async ({ work, params, query }) => {
      await getUser(work, params.user_id);
      const { items, next_cursor } = await readSortedPage(query, timedPositions, (page) =>
        store.listJobsOfUser(work, params.user_id, page),
      );
      return { data: items.map(toUserReport), next_cursor };
    },
  });
}

const toUserReport = (row: store.UserReportRow) => ({
  id: row.id,
  status: statusOf(row),
  failure_reason: ParsingJobFailureReason.nullable().parse(row.failure_reason),
  pages: row.pages,
  needs_human_review: row.needs_human_review,
  is_reviewed: row.is_reviewed,
  created_at: isoTimestamp(row.created_at),
  updated_at: isoTimestamp(row.updated_at),
});
