import type { Http } from '../platform/http/http.ts';
import { SEARCH_RULES, toSearchTerms } from './find.ts';
import { SEARCH_KINDS, SearchQuery, SearchResultsView } from './schema.ts';

/** One search over everything that has a page of its own. Extension. */
export function searchRoutes(http: Http): void {
  http.get('/v1/search', {
    schema: {
      operationId: 'search',
      summary: 'Search users, orders and the catalog',
      description:
        'Extension. Users by the beginning of their id or client_user_id, their whole e-mail address, and the ' +
        'beginnings of words of the patient names on their orders; orders by the beginning of their id, their sample ' +
        'id and tracking number; lab tests and markers by the beginnings of words, markers also by their code; ' +
        'endpoints by id and URL, for members only. Kinds that the caller may not read are left out.',
      tag: 'Team',
      query: SearchQuery,
      response: { 200: SearchResultsView },
    },
    handler: async ({ work, query, principal }) => {
      const terms = toSearchTerms(query.q, query.limit);
      const searched = SEARCH_KINDS.filter((kind) => principal.mayRead(SEARCH_RULES[kind].readBy));
      const found = await Promise.all(searched.map((kind) => SEARCH_RULES[kind].find(work, terms)));
      return { data: found.flat(), searched };
    },
  });
}
