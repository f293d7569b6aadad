import type { Http } from '../../platform/http/http.ts';
import { ResourcesQuery, UserResources } from './introspection-schema.ts';
import { resourcesOfUsers } from './introspection.ts';

export function introspectionRoutes(http: Http): void {
  http.get('/v2/introspect/resources', {
    schema: {
      operationId: 'introspectResources',
      summary: 'Read what data users have, by provider and resource, and over what time',
      description:
        'Of one user, or of all users who have connected something or of whom something was told, by their ids; ' +
        'with `provider` of those only who have it.',
      tag: 'Wearables',
      query: ResourcesQuery,
      response: { 200: UserResources },
    },
    handler: ({ work, query }) => resourcesOfUsers(work, query),
  });
}
