import { z } from 'zod';
import type { App } from '../app.ts';
import { requirePastDob } from '../people/schema.ts';
import { isoMoment } from '../platform/clock.ts';
import type { Http } from '../platform/http/http.ts';
import type { Work } from '../platform/work.ts';
import { changeUser, createUser } from './create-user.ts';
import { deleteUser, undoDelete } from './delete-user.ts';
import { latestDemographics, rememberDemographics } from './demographics.ts';
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
  Metrics,
  UserConflict,
  UserList,
  UserSuccess,
  UserView,
  viewUser,
  type KnownSource,
} from './schema.ts';
import type { User } from './user.ts';

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

/** What is asked of slices that know users, and that users do not know. */
export interface Neighbours {
  readonly countOrders: (work: Work) => Promise<number>;
  readonly countConnections: (work: Work) => Promise<{ all: number; errored: number }>;
  readonly connectionsByWeek: (work: Work) => Promise<{ startsAt: Date; made: number; all: number }[]>;
  /** What each of these users has connected. */
  readonly connectedSources: (work: Work, userIds: readonly string[]) => Promise<Map<string, KnownSource[]>>;
  /** Calls off the visits of a user that would take place before the user is erased. */
  readonly callOffInGrace: (work: Work, userId: string) => Promise<void>;
  /** Ends all connections of a user. */
  readonly disconnectAll: (work: Work, userId: string) => Promise<void>;
  /** What is told of a user without being asked, is found out anew: the user's days moved, or nobody looked for a while. */
  readonly answerAnew: (work: Work, userId: string) => Promise<void>;
}

export function userRoutes(http: Http, _app: App, neighbours: Neighbours): void {
  createAndRead(http, neighbours);
  change(http, neighbours);
  deleteAndRestore(http, neighbours);
  demographics(http);
  overview(http, neighbours);
}

/** Users with what they have connected. */
async function views(
  work: Work,
  users: readonly User[],
  { connectedSources }: Neighbours,
): Promise<UserView[]> {
  const sources = await connectedSources(
    work,
    users.map(({ id }) => id),
  );
  return users.map((user) => viewUser(work.tenant, user, sources.get(user.id)));
}

const view = async (work: Work, user: User, neighbours: Neighbours): Promise<UserView> => {
  const sources = await neighbours.connectedSources(work, [user.id]);
  return viewUser(work.tenant, user, sources.get(user.id));
};

function createAndRead(http: Http, neighbours: Neighbours): void {
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
      return { users: await views(work, users, neighbours), total, ...query };
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
    handler: async ({ work, params }) => view(work, await getUser(work, params.user_id), neighbours),
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
      view(work, await getUserByClientUserId(work, params.client_user_id), neighbours),
  });
}

function change(http: Http, { answerAnew }: Neighbours): void {
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
      const { movesDays } = await changeUser(work, params.user_id, body);
      if (movesDays) await answerAnew(work, params.user_id);
      return undefined;
    },
  });
}

function deleteAndRestore(http: Http, { callOffInGrace, disconnectAll, answerAnew }: Neighbours): void {
  http.delete('/v2/user/:user_id', {
    schema: {
      operationId: 'deleteUser',
      summary: 'Delete a user, with seven days to undo it',
      description:
        'Visits within these seven days are called off; an undo does not bring them back, and others can be booked then.',
      tag,
      params: UserId,
      response: { 200: UserSuccess },
    },
    handler: async ({ work, params }) => {
      // What is being booked is seen by then, and nothing is begun any more.
      await lockUser(work, params.user_id);
      // While its orders can be seen.
      await callOffInGrace(work, params.user_id);
      // First the user: what is being connected is there by then, and nothing can be connected after it.
      await deleteUser(work, params.user_id);
      await disconnectAll(work, params.user_id);
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
      const id = await undoDelete(work, query.user_id ? { id: query.user_id } : { clientUserId });
      await answerAnew(work, id);
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

function overview(http: Http, neighbours: Neighbours): void {
  http.get('/v2/user/metrics', {
    schema: {
      operationId: 'getUserMetrics',
      summary: 'Count users and tests',
      tag,
      response: { 200: Metrics },
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
          date: isoMoment(startsAt),
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
      query: Search,
      response: { 200: z.array(UserView) },
    },
    handler: async ({ work, query }) => {
      const matches = query.query_id === undefined ? [] : await searchUsers(work, query.query_id);
      return views(work, matches, neighbours);
    },
  });
}
