import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Tenant } from '../tenant.ts';
import { readBatch, type BatchLimits } from './batch-body.ts';
import type { ResponseSchemas, AuthenticationRequest, Authenticator, TeamRoute } from './route.ts';
import {
  authenticateAgain,
  authenticateFirst,
  serveTeam,
  type AnyTeamRoute,
  type ServedTeamRoute,
} from './serve-team.ts';

/** One user of a tenant, whose app calls without a team API key. */
interface UserCaller {
  readonly tenant: Tenant;
  readonly userId: string;
}

/**
 * A POST of the team API with many items, as `{"data": [...]}` or NDJSON, optionally compressed. Its body has its own
 * limits, and is read only after authentication.
 */
export interface BatchRoute<
  P extends z.ZodType | undefined,
  Q extends z.ZodType | undefined,
  B extends z.ZodType,
  R extends ResponseSchemas,
> extends TeamRoute<P, Q, B, R, undefined> {
  readonly limits: BatchLimits;
  /**
   * The user whose app calls, by its headers; undefined when they name no user, and the team API key is required.
   * Throws for a user who may not call. The handler gets the user in `principal.userId`, and must restrict itself to
   * that user.
   */
  readonly userOf?: (asked: AuthenticationRequest) => Promise<UserCaller | undefined>;
}

export type AnyBatchRoute = AnyTeamRoute &
  Pick<BatchRoute<undefined, undefined, z.ZodType, ResponseSchemas>, 'limits' | 'userOf'>;

/** Registered in its own Fastify scope, where bodies are not parsed but streamed. */
export function serveBatch(
  server: FastifyInstance,
  given: ServedTeamRoute & { readonly route: AnyBatchRoute },
): void {
  const { limits, userOf } = given.route;
  const served = { ...given, gate: userOf ? acceptUserTokens(given.gate, userOf) : given.gate };
  const answer = serveTeam(served);
  server.register(async (room) => {
    room.removeAllContentTypeParsers();
    room.addContentTypeParser('*', (_request, _body, done) => done(null));
    room.post(served.path, { onRequest: authenticateFirst(served) }, async (request, reply) => {
      request.body = await readBatch(request.raw, limits, served.receiver.shareOf(request));
      // The caller may have been revoked while a slow body arrived.
      await authenticateAgain(served, request);
      return answer(request, reply);
    });
  });
}

const acceptUserTokens = (
  gate: Authenticator,
  userOf: NonNullable<AnyBatchRoute['userOf']>,
): Authenticator => ({
  ...gate,
  team: async (asked) => {
    const user = await userOf(asked);
    if (!user) return gate.team(asked);
    const { tenant, userId } = user;
    return { tenant, userId, kind: 'user', keyId: userId, features: new Set(), mayRead: () => false };
  },
});
