import type { App } from '../../app.ts';
import {
  findWorkingToken,
  invalidKeyError,
  requirePermission,
} from '../../identity/management/management.ts';
import { readBrandedHeader } from '../../platform/branded-headers.ts';
import type { AuthenticationRequest, Authenticator, TeamPrincipal } from '../../platform/http/route.ts';
import { readTenant } from '../../platform/work.ts';
import { readAppToken } from './session.ts';
import { userTokenOf, verifySignInToken, type SignedInUser } from './sign-in-token.ts';

/** Adds the access tokens of users' apps to what a gate accepts. An API key in its own header goes before. */
export const acceptUserApps = (app: App, gate: Authenticator): Authenticator => ({
  ...gate,
  team: async (asked) => (await authenticateUserApp(app, asked)) ?? gate.team(asked),
});

const readBearer = ({ headers }: AuthenticationRequest): string | undefined =>
  /^Bearer (\S+)$/i.exec(String(headers['authorization']))?.[1];

/**
 * The user of an access token; undefined for any other credential. 401 for a token that has expired, was revoked, or
 * whose key or team no longer works, so that the app refreshes it.
 */
async function authenticateUserApp(
  app: App,
  asked: AuthenticationRequest,
): Promise<TeamPrincipal | undefined> {
  const word = readBearer(asked);
  if (word === undefined || readBrandedHeader(app.config, asked.headers, 'api-key').value !== undefined)
    return undefined;
  const claims = await readAppToken(app, 'app_access', word);
  if (!claims) return undefined;
  const { tenant, userId, id, expiresAt } = claims;
  const now = app.clock.now();
  if (expiresAt <= now) throw invalidKeyError();
  const wanted = { tenant, id, kind: 'app_access' as const };
  const found = await readTenant(app, tenant, ({ tx }) => findWorkingToken(tx, wanted, now));
  if (found?.userId !== userId) throw invalidKeyError();
  requirePermission(found.permissions, asked);
  const features = new Set(found.features);
  return { tenant, kind: 'user', keyId: userId, userId, tokenId: id, features, mayRead: () => false };
}

/**
 * The user of the sign-in token of a request; undefined without one. 401 for a token that was revoked or has expired,
 * 403 where the key behind it does not permit the request.
 */
export async function authenticateUser(
  app: App,
  asked: AuthenticationRequest,
): Promise<SignedInUser | undefined> {
  const word = readBearer(asked);
  const who = word === undefined ? undefined : await verifySignInToken(app, userTokenOf(word));
  if (who === 'ended') throw invalidKeyError();
  if (who) requirePermission(who.permissions, asked);
  return who;
}
