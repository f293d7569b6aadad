import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import { findNames } from './demographics.ts';
import { findUsers } from './find-users.ts';

const USERS_MAX = 100;

const UserNamesQuery = z.object({
  user_id: z.array(z.guid()).min(1).max(USERS_MAX).describe('The users, at most 100.'),
});

const UserNames = z
  .object({
    data: z
      .array(z.object({ user_id: z.uuid(), name: z.string() }).meta({ id: 'UserName' }))
      .describe('In the order of the query. Users without demographics are left out.'),
  })
  .meta({ id: 'UserNames' });

/** The names for a page of a list of users, with two statements for all of them. Extension. */
export function userNameRoutes(http: Http): void {
  http.get('/v1/users/names', {
    schema: {
      operationId: 'listUserNames',
      summary: 'List the names of users',
      description:
        'Extension. The full names of up to 100 users from their demographics, such as those of a page of `GET /v2/user`.',
      tag: 'Users',
      query: UserNamesQuery,
      response: { 200: UserNames },
    },
    handler: async ({ work, query }) => {
      const wanted = [...new Set(query.user_id.map((id) => id.toLowerCase()))];
      // Demographics stay while a deletion can be undone; the names of deleted users are not shown.
      const users = await findUsers(work, wanted);
      const names = await findNames(
        work,
        users.map(({ id }) => id),
      );
      return {
        data: wanted.flatMap((id) => {
          const name = names.get(id);
          return name === undefined ? [] : [{ user_id: id, name }];
        }),
      };
    },
  });
}
