import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { App } from '../../app.ts';
import {
  findWorkingToken,
  issuerOf,
  issueUserToken,
  TOKEN_KINDS,
  type TokenIssuer,
} from '../../identity/management/management.ts';
import { SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import type { BrowserResponse, BrowserRequest } from '../../platform/http/serve-open.ts';
import { publicUrl } from '../../platform/public-url.ts';
import { ENVIRONMENTS, type Tenant } from '../../platform/tenant.ts';
import { inTenant, readTenant, type Work } from '../../platform/work.ts';
import { getUser } from '../../users/users/users.ts';
import { listConnections, deregister } from '../connections/connections.ts';
import {
  pagePath,
  parseForm,
  recordWrongToken,
  redirectTo,
  viewOf,
  withBrand,
  type PageView,
} from '../../hosted/hosted.ts';
import { expiredPage, portalPage, resultNote } from './portal-page.ts';
import { createSignInToken, ensureSigningKey } from '../user-apps/user-apps.ts';
import { createLinkToken } from './token.ts';

const UserId = z.object({ user_id: z.guid() });
const TOKEN_ID = 'Extension. Identifies the token where it is listed or revoked.';
/** The tag of the operations that a user token opens. */
const GRANTS_TAG = 'Wearables';

const Claims = z.object({ sub: z.guid(), team: z.guid(), env: z.enum(ENVIRONMENTS), jti: z.guid() });
const AUDIENCE = 'portal';

/** The user that a token was issued for. */
interface PortalUser {
  readonly tenant: Tenant;
  readonly userId: string;
  readonly tokenId: string;
}

const deriveKey = ({ keyring }: App) => keyring.derive(`wearables/${AUDIENCE}`);

async function createPortalToken(
  work: Work,
  app: App,
  { userId, issuer }: { readonly userId: string; readonly issuer: TokenIssuer },
): Promise<{ id: string; word: string }> {
  const { id, issuedAt, expiresAt } = await issueUserToken(work, { kind: AUDIENCE, userId, issuer });
  const word = await new SignJWT({ team: work.tenant.teamId, env: work.tenant.environment })
    .setProtectedHeader({ alg: 'HS256' })
    .setJti(id)
    .setSubject(userId)
    .setAudience(AUDIENCE)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(deriveKey(app));
  return { id, word };
}

/**
 * Verifies a token. Undefined if this service did not sign it for this purpose; `ended` if it has expired, or it, its
 * key or the issuing token was revoked, or its user or team was deleted.
 */
async function verifyPortalToken(app: App, word: string): Promise<PortalUser | 'ended' | undefined> {
  const options = { audience: AUDIENCE, algorithms: ['HS256'] };
  const key = deriveKey(app);
  const early = await jwtVerify(word, key, { ...options, currentDate: new Date(0) }).catch(() => undefined);
  if (!early) return undefined;
  const { data: claims } = Claims.safeParse(early.payload);
  const now = app.clock.now();
  const isCurrent = await jwtVerify(word, key, { ...options, currentDate: now }).then(
    () => true,
    () => false,
  );
  if (!claims || !isCurrent) return 'ended';
  const tenant: Tenant = { teamId: claims.team, environment: claims.env };
  const wanted = { tenant, id: claims.jti, kind: AUDIENCE } as const;
  const found = await readTenant(app, tenant, ({ tx }) => findWorkingToken(tx, wanted, now));
  if (!found) return 'ended';
  return { tenant, userId: claims.sub, tokenId: claims.jti };
}

/** Tokens for users, who have no API key: for the team's app, and for the hosted portal. */
export function portalRoutes(http: Http, app: App): void {
  signInTokenRoute(http, app);
  portalUrlRoute(http, app);
  http.visit('/portal', { methods: ['GET', 'POST'], handler: (visit) => handlePortal(app, visit) });
}

function signInTokenRoute(http: Http, app: App): void {
  http.post('/v2/user/:user_id/sign_in_token', {
    schema: {
      operationId: 'createSignInToken',
      summary: 'Create a sign-in token for a user',
      description:
        'The token authenticates the app of the user: the mobile SDKs exchange it, and as a bearer token it opens ' +
        'pushes. It is valid for 24 hours, unless it or the API key that creates it is revoked. A key that is restricted to areas needs `users` and `wearables`.',
      tag: 'Users',
      grantsTag: GRANTS_TAG,
      params: UserId,
      response: {
        200: z
          .object({
            user_id: z.guid(),
            sign_in_token: z.string(),
            token_id: z.uuid().describe(TOKEN_ID),
          })
          .meta({ id: 'UserSignInTokenResponse' }),
      },
    },
    prepare: ({ tenant }) => ensureSigningKey(app, tenant),
    handler: async ({ work, params, principal, prepared: key }) => {
      const { id: userId } = await getUser(work, params.user_id);
      const issuer = issuerOf(principal);
      const { id, word } = await createSignInToken(work, { userId, issuer, key, region: app.config.REGION });
      return { user_id: userId, sign_in_token: word, token_id: id };
    },
  });
}

function portalUrlRoute(http: Http, app: App): void {
  http.post('/v2/user/:user_id/create_portal_url', {
    schema: {
      operationId: 'createPortalUrl',
      summary: 'Create a portal URL for managing connections',
      description:
        'The URL is valid for an hour, unless its token or the API key that creates it is revoked. A key that is ' +
        'restricted to areas needs `users` and `wearables`. The context `communications` is not supported and ' +
        'returns 400.',
      tag: 'Users',
      grantsTag: GRANTS_TAG,
      params: UserId,
      body: z
        .object({
          context: z
            .enum(['launch', 'communications'])
            .describe('What the portal is for; only launch is supported.'),
          order_id: z.guid().nullish().describe('Ignored.'),
        })
        .meta({ id: 'CreateUserPortalURLBody' }),
      response: {
        200: z
          .object({ url: z.string(), expires_in: z.int(), token_id: z.uuid().describe(TOKEN_ID) })
          .meta({ id: 'CreateUserPortalURLResponse' }),
      },
    },
    handler: async ({ work, params, body, principal }) => {
      const { id: userId } = await getUser(work, params.user_id);
      if (body.context !== 'launch') {
        const instead = 'PATCH /v3/order/{order_id}/communication_settings';
        throw new DomainError('bad_request', `The context communications is not supported; use ${instead}`);
      }
      const issuer = issuerOf(principal);
      const { id, word } = await createPortalToken(work, app, { userId, issuer });
      const expiresIn = TOKEN_KINDS.portal.lifetimeMs / SECOND;
      return { url: portalUrl(app, word), expires_in: expiresIn, token_id: id };
    },
  });
}

const portalUrl = ({ config }: App, word: string) => publicUrl(config, `/portal?token=${word}`);

async function handlePortal(app: App, visit: BrowserRequest): Promise<BrowserResponse> {
  const { method, address, query } = visit;
  const fields = parseForm(visit.body);
  const word = (method === 'POST' ? fields['token'] : query['token']) ?? '';
  const plain = viewOf(visit, fields['lang']);
  const who = await verifyPortalToken(app, word);
  if (!who) recordWrongToken(app, address);
  if (!who || who === 'ended') return expiredPage(plain);
  const path = pagePath(app.config, '/portal', { token: word });
  const view = { ...(await withBrand(app, plain, who.tenant)), path };
  try {
    if (method === 'POST') {
      // Without its origin: the CSP forbids forms to go to another one, as 127.0.0.1 is for localhost.
      const { pathname, search } = new URL(await performAction(app, who, { word, fields, view }));
      return redirectTo(`${pathname}${search}`);
    }
    const connections = await readTenant(app, who.tenant, (work) => listConnections(work, who.userId));
    return portalPage({ app, view, word, connections, note: resultNote(view, query, connections) });
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'not_found') return expiredPage(view);
    throw error;
  }
}

interface PortalAction {
  readonly word: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly view: PageView;
}

/** Performs the action of a button and returns the URL to go to next. */
async function performAction(
  app: App,
  { tenant, userId, tokenId }: PortalUser,
  { word, fields, view: { language } }: PortalAction,
): Promise<string> {
  const { disconnect: provider } = fields;
  const back = `${portalUrl(app, word)}&lang=${language}`;
  return inTenant(app, tenant, async (work) => {
    if (provider === undefined)
      return `${await createLinkUrl(work, app, { userId, tokenId, back })}&lang=${language}`;
    const has = (await listConnections(work, userId)).some((one) => one.provider === provider);
    if (has) await deregister(work, userId, provider);
    return back;
  });
}

const PORTAL_LINK_OPTIONS = { provider: null, only: null, redirectsErrors: true, redirectsClose: true };

async function createLinkUrl(
  work: Work,
  app: App,
  { userId, tokenId, back }: { userId: string; tokenId: string; back: string },
): Promise<string> {
  const options = { ...PORTAL_LINK_OPTIONS, userId, redirectUrl: back, issuer: { tokenId } };
  return (await createLinkToken(work, app, options)).link_web_url;
}
