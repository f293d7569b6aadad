import type { Http } from '../../platform/http/http.ts';
import { ResourcesQuery, UserResourcesPage } from './introspection-schema.ts';
import { listUserResources } from './introspection.ts';

export function introspectionRoutes(http: Http): void {
  http.get('/v2/introspect/resources', {
    schema: {
      operationId: 'introspectResources',
      summary: 'List available data by user and provider',
      description:
        'For one user, or for all users with connections or data, in the order of their ids. With `provider`, only ' +
        'users of that provider.',
      tag: 'Wearables',
      query: ResourcesQuery,
      response: { 200: UserResourcesPage },
    },
    handler: ({ work, query }) => listUserResources(work, query),
  });
}
