import type { App } from '../app.ts';
import type { Http } from '../platform/http/http.ts';
import { readExpiringKeys, readOverview } from './attention.ts';
import { OverviewView, toOverviewView, TrendsQuery, TrendsView } from './schema.ts';
import { readTrends } from './trends.ts';

const tag = 'Team';

/** What needs a person, and the trends of a team: ids, counts and times, no patient data. Extension. */
export function overviewRoutes(http: Http, app: App): void {
  http.get('/v1/overview', {
    schema: {
      operationId: 'getOverview',
      summary: 'Get what needs attention',
      description:
        'Extension. Every kind of thing that needs a person, most urgent first, with its count and its first items: ' +
        'ids and times only. Kinds without items are included.',
      tag,
      response: { 200: OverviewView },
    },
    prepare: ({ tenant }) => readExpiringKeys(app, tenant),
    handler: async ({ work, prepared }) => toOverviewView(work.now, await readOverview(work, prepared)),
  });
  http.get('/v1/overview/trends', {
    schema: {
      operationId: 'getOverviewTrends',
      summary: 'Get daily counts of recent activity',
      description:
        'Extension. Counts of each day, without personal data. Webhook attempts are counted for as ' +
        'long as the team keeps them, samples of devices since the update to a version that counts them.',
      tag,
      query: TrendsQuery,
      response: { 200: TrendsView },
    },
    handler: async ({ work, query }) => ({
      time_zone: query.time_zone,
      data: await readTrends(work, { days: query.days, zone: query.time_zone, until: query.until }),
    }),
  });
}
