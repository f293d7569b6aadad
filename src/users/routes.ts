import { z } from 'zod';
import type { App } from '../app.ts';
import { requirePastDob } from '../people/schema.ts';
import type { Http } from '../platform/http/http.ts';
import type { Work } from '../platform/work.ts';
import { connectionRoutes } from './connection-routes.ts';
import { changeUser, createUser } from './create-user.ts';
import { deleteUser, undoDelete } from './delete-user.ts';
import { latestDemographics, rememberDemographics } from './demographics.ts';
import { countUsers, getUser, getUserByClientUserId, listUsers, searchUsers } from './find-users.ts';
import {
  ChangeUser,
  ClientUserId,
  CreateUser,
  Demographics,
  DemographicsView,
  Metrics,
  UserConflict,
  UserList,
  UserSuccess,
  UserView,
  viewUser,
} from './schema.ts';

const tag = 'Users';
const UserId = z.object({ user_id: z.guid() });

/** The demographics' routes take any text in the contract; one that is no id is nobody's. */
const PatientId = z.object({ user_id: z.string().max(100) });

const Page = z.object({
  offset: z.int().min(0).max(10_000_000).default(0),
  limit: z.int().min(1).max(500).default(100),
});

const Search = z.object({ query_id: ClientUserId.min(2).optional() });

const Undo = z
  .object({ user_id: z.guid().nullish(), client_user_id: ClientUserId.nullish() })
  .refine((query) => (query.user_id == null) !== (query.client_user_id == null), {
    message: 'expected exactly one of user_id and client_user_id',
  });

/** What the metrics count beyond this slice. */
export interface Counters {
  readonly countOrders: (work: Work) => Promise<number>;
}

export function userRoutes(http: Http, _app: App, counters: Counters): void {
  createAndRead(http);
  change(http);
  demographics(http);
  overview(http, counters);
  connectionRoutes(http);
}

function createAndRead(http: Http): void {
  http.post('/v2/user', {
    schema: {
      operationId: 'createUser',
      summary: 'Create a user',
      tag,
      body: CreateUser,
      response: { 200: UserView, 400: UserConflict },
    },
    handler: async ({ work, body }) => viewUser(work.tenant, await createUser(work, body)),
  });

  http.get('/v2/user', {
    schema: {
      operationId: 'listUsers',
      summary: 'List users, oldest first',
      tag,
      query: Page,
      response: { 200: UserList },
    },
    handler: async ({ work, query }) => {
      const { users, total } = await listUsers(work, query);
      return { users: users.map((user) => viewUser(work.tenant, user)), total, ...query };
    },
  });

  http.get('/v2/user/:user_id', {
    schema: {
      operationId: 'getUser',
      summary: 'Read a user',
      tag,
      params: UserId,
      response: { 200: UserView },
    },
    handler: async ({ work, params }) => viewUser(work.tenant, await getUser(work, params.user_id)),
  });

  http.get('/v2/user/resolve/:client_user_id', {
    schema: {
      operationId: 'resolveUser',
      summary: 'Read a user by the client user id',
      tag,
      params: z.object({ client_user_id: ClientUserId }),
      response: { 200: UserView },
    },
    handler: async ({ work, params }) =>
      viewUser(work.tenant, await getUserByClientUserId(work, params.client_user_id)),
  });
}

function change(http: Http): void {
  http.patch('/v2/user/:user_id', {
    schema: {
      operationId: 'changeUser',
      summary: 'Change a user',
      tag,
      params: UserId,
      body: ChangeUser,
      response: { 204: null, 400: UserConflict },
    },
    handler: async ({ work, params, body }) => {
      await changeUser(work, params.user_id, body);
      return undefined;
    },
  });

  http.delete('/v2/user/:user_id', {
    schema: {
      operationId: 'deleteUser',
      summary: 'Delete a user, with seven days to undo it',
      tag,
      params: UserId,
      response: { 200: UserSuccess },
    },
    handler: async ({ work, params }) => {
      await deleteUser(work, params.user_id);
      return { success: true };
    },
  });

  http.post('/v2/user/undo_delete', {
    schema: {
      operationId: 'undoDeleteUser',
      summary: 'Bring back a deleted user in the grace period',
      tag,
      query: Undo,
      response: { 200: UserSuccess },
    },
    handler: async ({ work, query }) => {
      const clientUserId = query.client_user_id ?? '';
      await undoDelete(work, query.user_id ? { id: query.user_id } : { clientUserId });
      return { success: true };
    },
  });
}

function demographics(http: Http): void {
  http.patch('/v2/user/:user_id/info', {
    schema: {
      operationId: 'setUserInfo',
      summary: 'Keep the demographics of a user',
      tag,
      params: PatientId,
      body: Demographics,
      response: { 200: DemographicsView },
    },
    handler: async ({ work, params, body }) => {
      requirePastDob(work, body.dob);
      const user = await getUser(work, params.user_id);
      await rememberDemographics(work, user.id, body);
      return body;
    },
  });

  http.get('/v2/user/:user_id/info/latest', {
    schema: {
      operationId: 'getUserInfo',
      summary: 'Read the demographics of a user',
      tag,
      params: PatientId,
      response: { 200: DemographicsView },
    },
    handler: async ({ work, params }) => {
      const user = await getUser(work, params.user_id);
      return latestDemographics(work, user.id);
    },
  });
}

function overview(http: Http, counters: Counters): void {
  http.get('/v2/user/metrics', {
    schema: {
      operationId: 'getUserMetrics',
      summary: 'Count users and tests',
      tag,
      response: { 200: Metrics },
    },
    handler: async ({ work }) => {
      const [userCount, orderCount] = await Promise.all([countUsers(work), counters.countOrders(work)]);
      return { team_id: work.tenant.teamId, number_of_users: userCount, number_of_ordered_tests: orderCount };
    },
  });

  http.get('/v2/team/users/search', {
    schema: {
      operationId: 'searchUsers',
      summary: 'Search users by id or client user id',
      tag,
      query: Search,
      response: { 200: z.array(UserView) },
    },
    handler: async ({ work, query }) => {
      const matches = query.query_id === undefined ? [] : await searchUsers(work, query.query_id);
      return matches.map((user) => viewUser(work.tenant, user));
    },
  });
}
