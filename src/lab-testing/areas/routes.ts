import type { Http } from '../../platform/http/http.ts';
import { areaInfo, type AreaSources } from './areas.ts';
import { AreaQuery, AreaView } from './schema.ts';

/** What a ZIP code has. `sources` tells of sites and phlebotomists; without them there is nothing true to answer. */
export function areaRoutes(http: Http, sources: AreaSources): void {
  http.get('/v3/order/area/info', {
    schema: {
      operationId: 'getAreaInfo',
      summary: 'Read which ways of taking a sample a ZIP code has',
      tag: 'Orders',
      query: AreaQuery,
      response: { 200: AreaView },
    },
    handler: ({ work, query }) => areaInfo(work, query, sources),
  });
}
