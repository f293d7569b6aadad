import type { Http } from '../platform/http/http.ts';
import { readSortedPage, timedPositions } from '../platform/http/page.ts';
import { getUser } from '../users/users/users.ts';
import { listMarkers } from './list-markers.ts';
import { readValues, type UserResultValue } from './read-values.ts';
import { UserMarkersView, UserParams, UserResultsQuery, UserResultsView } from './schema.ts';
import { listSources } from './source-store.ts';

const tag = 'Results';

/** The results of a user from every source. Extension. */
export function userResultRoutes(http: Http): void {
  http.get('/v1/user/:user_id/results', {
    schema: {
      operationId: 'listUserResults',
      summary: 'List the results of a user',
      description:
        'Extension. Values of all orders in their newest version, and of uploaded lab reports: those in review are ' +
        'marked. A page reads up to `limit` orders and lab reports, newest first, and has their values that match.',
      tag,
      params: UserParams,
      query: UserResultsQuery,
      response: { 200: UserResultsView },
    },
    handler: async ({ work, params, query }) => {
      const { user_id: userId } = params;
      await getUser(work, userId);
      const { items, next_cursor } = await readSortedPage(query, timedPositions, (page) =>
        listSources(work, { userId, ...page }),
      );
      return { data: items.flatMap(readValues).filter(toFilter(query)), next_cursor };
    },
  });
  http.get('/v1/user/:user_id/results/markers', {
    schema: {
      operationId: 'listUserMarkers',
      summary: 'List the markers of a user',
      description: 'Extension. What a user has values of, one entry for each unit, with the newest value.',
      tag,
      params: UserParams,
      response: { 200: UserMarkersView },
    },
    handler: async ({ work, params }) => {
      await getUser(work, params.user_id);
      return listMarkers(work, params.user_id);
    },
  });
}

function toFilter({ loinc, slug, from, to }: UserResultsQuery): (value: UserResultValue) => boolean {
  const [first, last] = [from, to].map((time) => (time == null ? undefined : new Date(time).getTime()));
  return (value) => {
    const at = Date.parse(value.measured_at);
    return (
      (loinc == null || value.loinc === loinc) &&
      (slug == null || value.slug === slug) &&
      (first === undefined || at >= first) &&
      (last === undefined || at < last)
    );
  };
}
