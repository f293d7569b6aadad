import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Tenant } from '../tenant.ts';
import { readBatch, type BatchLimits } from './batch-body.ts';
import type { Answers, Asked, Gate, TeamRoute } from './route.ts';
import { admit, serveTeam, type AnyTeamRoute, type Served } from './serve-team.ts';

/** One user of a tenant, whose app calls without a key of the team. */
export interface UserCaller {
  readonly tenant: Tenant;
  readonly userId: string;
}

/**
 * A POST of the team API that brings many items at once, as `{"data": [...]}` or a line for each, packed or not. Its
 * body is read within limits of its own, and not before it is known who calls.
 */
export interface BatchRoute<
  P extends z.ZodType | undefined,
  Q extends z.ZodType | undefined,
  B extends z.ZodType,
  R extends Answers,
> extends TeamRoute<P, Q, B, R, undefined> {
  readonly limits: BatchLimits;
  /**
   * Whose app calls, by the headers; undefined where they say nothing of a user, and the team's key is asked for. The
   * handler finds the user in `principal.userId`, and has to keep to it.
   */
  readonly userOf?: (headers: Asked['headers']) => Promise<UserCaller | undefined>;
}

export type AnyBatchRoute = AnyTeamRoute &
  Pick<BatchRoute<undefined, undefined, z.ZodType, Answers>, 'limits' | 'userOf'>;

/** In a room of its own, where a body is left to flow. */
export function serveBatch(server: FastifyInstance, given: Served & { readonly route: AnyBatchRoute }): void {
  const { limits, userOf } = given.route;
  const served = { ...given, gate: userOf ? openToUsers(given.gate, userOf) : given.gate };
  const answer = serveTeam(served);
  server.register(async (room) => {
    room.removeAllContentTypeParsers();
    room.addContentTypeParser('*', (_request, _body, done) => done(null));
    room.post(served.path, async (request, reply) => {
      await admit(served, request);
      request.body = await readBatch(request.raw, limits);
      return answer(request, reply);
    });
  });
}

const openToUsers = (gate: Gate, userOf: NonNullable<AnyBatchRoute['userOf']>): Gate => ({
  ...gate,
  team: async (asked) => {
    const user = await userOf(asked.headers);
    return user ? { ...user, kind: 'user', keyId: user.userId, features: new Set() } : gate.team(asked);
  },
});
