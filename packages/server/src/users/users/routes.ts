import { z } from 'zod';
import type { App } from '../../app.ts';
import { revokeTokens } from '../../identity/management/management.ts';
import { requirePastDob } from '../../people/schema.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import type { Http } from '../../platform/http/http.ts';
import type { Work } from '../../platform/work.ts';
import { changeUser, createUser } from './create-user.ts';
import { deleteUser, undoDelete } from './delete-user.ts';
import { getDemographics, saveDemographics } from './demographics.ts';
import {
  countUsers,
  getUser,
  getUserByClientUserId,
  listUsers,
  lockUser,
  searchUsers,
} from './find-users.ts';
import {
  ChangeUser,
  ClientUserId,
  CreateUser,
  Demographics,
  DemographicsView,
  UserMetrics,
  UserConflict,
  UserList,
  UserSuccess,
  UserView,
  viewUser,
  type ConnectedProvider,
} from './schema.ts';
import { userNameRoutes } from './name-routes.ts';
import { userTokenRoutes } from './token-routes.ts';
import type { User } from './user.ts';

const tag = 'Users';
const UserId = z.object({ user_id: z.guid() });

/** The contract allows any text here; text that is not an id is a 404. */
const DemographicsParams = z.object({ user_id: z.string().max(100) });

const UserPageQuery = z.object({
  offset: z.int().min(0).max(10_000_000).default(0),
  limit: z.int().min(1).max(500).default(100),
});

const UserSearchQuery = z.object({ query_id: ClientUserId.min(2).optional() });

const UndoDeleteQuery = z
  .object({ user_id: z.guid().nullish(), client_user_id: ClientUserId.nullish() })
  .refine((query) => (query.user_id == null) !== (query.client_user_id == null), {
    message: 'expected exactly one of user_id and client_user_id',
  });

/** Functions of modules that depend on users, injected because users must not import them. */
interface UserDependencies {
  readonly countOrders: (work: Work) => Promise<number>;
  readonly countConnections: (work: Work) => Promise<{ all: number; errored: number }>;
  readonly connectionsByWeek: (work: Work) => Promise<{ startsAt: Date; made: number; all: number }[]>;
  /** The connected sources of each of these users. */
  readonly connectedSources: (
    work: Work,
    userIds: readonly string[],
  ) => Promise<Map<string, ConnectedProvider[]>>;
  /** Cancels the visits of a user that would take place before the user is erased. */
  readonly cancelVisitsInGrace: (work: Work, userId: string) => Promise<void>;
  /** Ends all wearable connections of a user. */
  readonly disconnectAll: (work: Work, userId: string) => Promise<void>;
  /** Recomputes the user's continuous queries: the days moved, or the user was deleted for a while. */
  readonly recomputeContinuousQueries: (work: Work, userId: string) => Promise<void>;
}

export function userRoutes(http: Http, _app: App, neighbours: UserDependencies): void {
  createAndRead(http, neighbours);
  change(http, neighbours);
  deleteAndRestore(http, neighbours);
  demographics(http);
  overview(http, neighbours);
  userNameRoutes(http);
  userTokenRoutes(http);
}

/** Users with their connected sources. */
async function viewUsers(
  work: Work,
  users: readonly User[],
  { connectedSources }: UserDependencies,
): Promise<UserView[]> {
  const sources = await connectedSources(
    work,
    users.map(({ id }) => id),
  );
  return users.map((user) => viewUser(work.tenant, user, sources.get(user.id)));
}

const viewUserWithSources = async (
  work: Work,
  user: User,
  neighbours: UserDependencies,
): Promise<UserView> => {
  const sources = await neighbours.connectedSources(work, [user.id]);
  return viewUser(work.tenant, user, sources.get(user.id));
};

function createAndRead(http: Http, neighbours: UserDependencies): void {
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
      query: UserPageQuery,
      response: { 200: UserList },
    },
    handler: async ({ work, query }) => {
      const { users, total } = await listUsers(work, query);
      return { users: await viewUsers(work, users, neighbours), total, ...query };
    },
  });

  http.get('/v2/user/:user_id', {
    opensToUsers: true,
    schema: {
      operationId: 'getUser',
      summary: 'Read a user',
      tag,
      params: UserId,
      response: { 200: UserView },
    },
    handler: async ({ work, params }) =>
      viewUserWithSources(work, await getUser(work, params.user_id), neighbours),
  });
  http.get('/v2/user/resolve/:client_user_id', {
    schema: {
      operationId: 'resolveUser',
      summary: 'Read a user by client user id',
      tag,
      params: z.object({ client_user_id: ClientUserId }),
      response: { 200: UserView },
    },
    handler: async ({ work, params }) =>
      viewUserWithSources(work, await getUserByClientUserId(work, params.client_user_id), neighbours),
  });
}

function change(http: Http, { recomputeContinuousQueries }: UserDependencies): void {
  http.patch('/v2/user/:user_id', {
    schema: {
      operationId: 'changeUser',
      summary: 'Update a user',
      tag,
      params: UserId,
      body: ChangeUser,
      response: { 204: null, 400: UserConflict },
    },
    handler: async ({ work, params, body }) => {
      const { movesDays } = await changeUser(work, params.user_id, body);
      if (movesDays) await recomputeContinuousQueries(work, params.user_id);
      return undefined;
    },
  });
}

function deleteAndRestore(
  http: Http,
  { cancelVisitsInGrace, disconnectAll, recomputeContinuousQueries }: UserDependencies,
): void {
  http.delete('/v2/user/:user_id', {
    schema: {
      operationId: 'deleteUser',
      summary: 'Delete a user',
      description:
        'The deletion can be undone for seven days. Its tokens are revoked, and visits within these days are cancelled; ' +
        'an undo restores neither, but new ones can be created.',
      tag,
      params: UserId,
      response: { 200: UserSuccess },
    },
    handler: async ({ work, params, principal }) => {
      // Waits for bookings in progress and prevents new ones.
      await lockUser(work, params.user_id);
      // Before the deletion hides the orders.
      await cancelVisitsInGrace(work, params.user_id);
      // The user first: that waits for connections in progress and prevents new ones.
      const by = { kind: principal.kind ?? 'api_key', id: principal.keyId };
      await deleteUser(work, params.user_id.toLowerCase(), by);
      await disconnectAll(work, params.user_id);
      await revokeTokens(work, { userId: params.user_id.toLowerCase() });
      return { success: true };
    },
  });

  http.post('/v2/user/undo_delete', {
    schema: {
      operationId: 'undoDeleteUser',
      summary: 'Undo the deletion of a user',
      description: 'Possible for seven days after the deletion.',
      tag,
      query: UndoDeleteQuery,
      response: { 200: UserSuccess },
    },
    handler: async ({ work, query }) => {
      const clientUserId = query.client_user_id ?? '';
      const id = await undoDelete(work, query.user_id ? { id: query.user_id } : { clientUserId });
      await recomputeContinuousQueries(work, id);
      return { success: true };
    },
  });
}

function demographics(http: Http): void {
  http.patch('/v2/user/:user_id/info', {
    schema: {
      operationId: 'setUserInfo',
      summary: 'Upsert user demographics',
      tag,
      params: DemographicsParams,
      body: Demographics,
      response: { 200: DemographicsView },
    },
    handler: async ({ work, params, body }) => {
      requirePastDob(work, body.dob);
      const user = await getUser(work, params.user_id);
      await saveDemographics(work, user.id, body);
      return body;
    },
  });

  http.get('/v2/user/:user_id/info/latest', {
    schema: {
      operationId: 'getUserInfo',
      summary: 'Read user demographics',
      tag,
      params: DemographicsParams,
      response: { 200: DemographicsView },
    },
    handler: async ({ work, params }) => {
      const user = await getUser(work, params.user_id);
      return getDemographics(work, user.id);
    },
  });
}

function overview(http: Http, neighbours: UserDependencies): void {
  http.get('/v2/user/metrics', {
    schema: {
      operationId: 'getUserMetrics',
      summary: 'Read user, test and connection counts',
      tag,
      response: { 200: UserMetrics },
    },
    handler: async ({ work }) => {
      const { countOrders, countConnections, connectionsByWeek } = neighbours;
      const [users, orders, connections, weeks] = await Promise.all([
        countUsers(work),
        countOrders(work),
        countConnections(work),
        connectionsByWeek(work),
      ]);
      return {
        team_id: work.tenant.teamId,
        number_of_users: users,
        number_of_ordered_tests: orders,
        number_of_connected_sources: connections.all,
        number_of_errored_connected_sources: connections.errored,
        number_of_connected_sources_by_week: weeks.map(({ startsAt, made, all }) => ({
          date: isoTimestamp(startsAt),
          value: made,
          all,
        })),
      };
    },
  });

  http.get('/v2/team/users/search', {
    schema: {
      operationId: 'searchUsers',
      summary: 'Search users by id or client user id',
      tag,
      query: UserSearchQuery,
      response: { 200: z.array(UserView) },
    },
    handler: async ({ work, query }) => {
      const matches = query.query_id === undefined ? [] : await searchUsers(work, query.query_id);
      return viewUsers(work, matches, neighbours);
    },
  });
}
