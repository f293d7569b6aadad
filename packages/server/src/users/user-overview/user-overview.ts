import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import { getUser } from '../users/users.ts';
import { readPresence } from './presence-store.ts';

const UserParams = z.object({ user_id: z.guid() });

const UserOverview = z
  .object({
    user_id: z.guid(),
    has_demographics: z.boolean(),
    has_primary_insurance: z.boolean(),
    has_secondary_insurance: z.boolean(),
    has_orders: z.boolean(),
    has_results: z.boolean().describe('From orders. Lab reports may have some, too.'),
    has_lab_reports: z.boolean().describe('Uploaded ones, in any status.'),
    has_connections: z.boolean(),
  })
  .meta({ id: 'UserOverview' });

/** What there is of a user, so that callers need not ask for what is not there. Extension. */
export function userOverviewRoutes(http: Http): void {
  http.get('/v1/user/:user_id/overview', {
    schema: {
      operationId: 'getUserOverview',
      summary: 'Get what there is of a user',
      description:
        'Extension. Whether the user has demographics, insurance and data, without any of them: reading demographics ' +
        'or insurance that do not exist answers 404.',
      tag: 'Users',
      params: UserParams,
      response: { 200: UserOverview },
    },
    handler: async ({ work, params }) => {
      const user = await getUser(work, params.user_id);
      return { user_id: user.id, ...(await readPresence(work, user.id)) };
    },
  });
}
