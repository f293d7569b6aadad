import type { Http } from '../../platform/http/http.ts';
import { getAreaInfo, type AreaSources } from './areas.ts';
import { AreaQuery, AreaView } from './schema.ts';

/** `sources` looks up patient service centers and phlebotomists. */
export function areaRoutes(http: Http, sources: AreaSources): void {
  http.get('/v3/order/area/info', {
    schema: {
      operationId: 'getAreaInfo',
      summary: 'Read the collection options of a ZIP code',
      tag: 'Orders',
      query: AreaQuery,
      response: { 200: AreaView },
    },
    handler: ({ work, query }) => getAreaInfo(work, query, sources),
  });
}
