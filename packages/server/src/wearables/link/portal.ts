import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { App } from '../../app.ts';
import { isTeamActive } from '../../identity/management/management.ts';
import { DAY, HOUR, later, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import type { BrowserResponse, BrowserRequest } from '../../platform/http/serve-open.ts';
import { publicUrl } from '../../platform/public-url.ts';
import { ENVIRONMENTS, type Tenant } from '../../platform/tenant.ts';
import { inTenant, readTenant, type Work } from '../../platform/work.ts';
import { getUser } from '../../users/users/users.ts';
import { listConnections, deregister } from '../connections/connections.ts';
import type { ProviderConnection } from '../connections/connection.ts';
import { describeProvider } from '../../readings/readings.ts';
import { parseForm, markup, redirectTo, renderPage, type Markup } from './html.ts';
import { getErrorText } from './pages.ts';
import { createLinkToken } from './token.ts';

const UserId = z.object({ user_id: z.guid() });
const PORTAL_TOKEN_MS = HOUR;
const SIGN_IN_TOKEN_MS = DAY;

const Claims = z.object({ sub: z.guid(), team: z.guid(), env: z.enum(ENVIRONMENTS) });
type UserTokenAudience = 'portal' | 'sign_in';

/** The user that a token was issued for. */
interface UserTokenSubject {
  readonly tenant: Tenant;
  readonly userId: string;
}

const deriveKey = ({ keyring }: App, audience: UserTokenAudience) => keyring.derive(`wearables/${audience}`);

/** Uses system time: a user's phone must not be affected by a moved sandbox clock. */
function signToken(
  app: App,
  audience: UserTokenAudience,
  { userId, tenant, lifeMs }: UserTokenSubject & { lifeMs: number },
): Promise<string> {
  const now = app.clock.now();
  return new SignJWT({ team: tenant.teamId, env: tenant.environment })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(userId)
    .setAudience(audience)
    .setIssuedAt(now)
    .setExpirationTime(later(now, lifeMs))
    .sign(deriveKey(app, audience));
}

/** Verifies a token; undefined if it is invalid or expired, or if its team was deleted. */
export async function verifyUserToken(
  app: App,
  audience: UserTokenAudience,
  word: string,
): Promise<UserTokenSubject | undefined> {
  const who = await verifyToken(app, audience, word);
  return who && (await readTenant(app, who.tenant, isTeamActive)) ? who : undefined;
}

async function verifyToken(
  app: App,
  audience: UserTokenAudience,
  word: string,
): Promise<UserTokenSubject | undefined> {
  try {
    const options = { audience, currentDate: app.clock.now(), algorithms: ['HS256'] };
    const { payload } = await jwtVerify(word, deriveKey(app, audience), options);
    const { sub, team, env } = Claims.parse(payload);
    return { userId: sub, tenant: { teamId: team, environment: env } };
  } catch {
    return undefined;
  }
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
      description: 'The token authenticates the app of the user. It is valid for 24 hours.',
      tag: 'Users',
      params: UserId,
      response: {
        200: z
          .object({ user_id: z.guid(), sign_in_token: z.string() })
          .meta({ id: 'UserSignInTokenResponse' }),
      },
    },
    handler: async ({ work, params }) => {
      const { id } = await getUser(work, params.user_id);
      const token = await signToken(app, 'sign_in', {
        userId: id,
        tenant: work.tenant,
        lifeMs: SIGN_IN_TOKEN_MS,
      });
      return { user_id: id, sign_in_token: token };
    },
  });
}

function portalUrlRoute(http: Http, app: App): void {
  http.post('/v2/user/:user_id/create_portal_url', {
    schema: {
      operationId: 'createPortalUrl',
      summary: 'Create a portal URL for managing connections',
      description:
        'The URL is valid for an hour. The context `communications` is not supported and returns 400.',
      tag: 'Users',
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
        200: z.object({ url: z.string(), expires_in: z.int() }).meta({ id: 'CreateUserPortalURLResponse' }),
      },
    },
    handler: async ({ work, params, body }) => {
      const { id } = await getUser(work, params.user_id);
      if (body.context !== 'launch') {
        const instead = 'PATCH /v3/order/{order_id}/communication_settings';
        throw new DomainError('bad_request', `The context communications is not supported; use ${instead}`);
      }
      const word = await signToken(app, 'portal', {
        userId: id,
        tenant: work.tenant,
        lifeMs: PORTAL_TOKEN_MS,
      });
      return { url: portalUrl(app, word), expires_in: PORTAL_TOKEN_MS / SECOND };
    },
  });
}

const portalUrl = ({ config }: App, word: string) => publicUrl(config, `/portal?token=${word}`);

async function handlePortal(app: App, { method, query, body }: BrowserRequest): Promise<BrowserResponse> {
  const fields = parseForm(body);
  const word = (method === 'POST' ? fields['token'] : query['token']) ?? '';
  const who = await verifyUserToken(app, 'portal', word);
  if (!who) return expiredPage();
  try {
    if (method === 'POST') return redirectTo(await performAction(app, who, { word, fields }));
    const connections = await readTenant(app, who.tenant, (work) => listConnections(work, who.userId));
    return portalPage({ word, connections, note: resultNote(query, connections) });
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'not_found') return expiredPage();
    throw error;
  }
}

const expiredPage = () =>
  renderPage({
    title: 'This link has expired',
    status: 400,
    body: markup`<p role="alert">Ask for a new one.</p>`,
  });

interface PortalAction {
  readonly word: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Performs the action of a button and returns the URL to go to next. */
async function performAction(
  app: App,
  { tenant, userId }: UserTokenSubject,
  { word, fields }: PortalAction,
): Promise<string> {
  const { disconnect: provider } = fields;
  const back = portalUrl(app, word);
  return inTenant(app, tenant, async (work) => {
    if (provider === undefined) return createLinkUrl(work, app, { userId, back });
    const has = (await listConnections(work, userId)).some((one) => one.provider === provider);
    if (has) await deregister(work, userId, provider);
    return back;
  });
}

const PORTAL_LINK_OPTIONS = { provider: null, only: null, redirectsErrors: true, redirectsClose: true };

const createLinkUrl = async (work: Work, app: App, { userId, back }: { userId: string; back: string }) =>
  (await createLinkToken(work, app, { ...PORTAL_LINK_OPTIONS, userId, redirectUrl: back })).link_web_url;

/** The outcome of a link attempt from which the user returns to the portal. */
function resultNote(
  { state, provider, error_type: errorType }: BrowserRequest['query'],
  connections: readonly ProviderConnection[],
): Markup | undefined {
  if (state === 'error') return markup`<p role="alert">${getErrorText(errorType)}</p>`;
  const made = connections.find((one) => state === 'success' && one.provider === provider);
  return made && markup`<p role="status">${describeProvider(made.provider).name} is connected.</p>`;
}

interface PortalPageInput {
  readonly word: string;
  readonly connections: readonly ProviderConnection[];
  readonly note: Markup | undefined;
}

const portalPage = ({ word, connections, note }: PortalPageInput): BrowserResponse =>
  renderPage({
    title: 'Your connections',
    body: markup`${note}
      ${connections.length === 0 ? markup`<p>Nothing is connected.</p>` : undefined}
      ${connections.map((one) => connectionRow(word, one))}
      <form method="post" action="/portal">
        <input type="hidden" name="token" value="${word}" />
        <button>Connect a provider</button>
      </form>`,
  });

function connectionRow(word: string, { provider, status }: ProviderConnection): Markup {
  const { name, logo } = describeProvider(provider);
  const state = { connected: 'connected', paused: 'paused', error: 'needs to be connected again' }[status];
  return markup`<form method="post" action="/portal" class="choice">
    <img src="${logo}" alt="" /><span>${name}<small>${state}</small></span>
    <input type="hidden" name="token" value="${word}" />
    <button class="quiet" name="disconnect" value="${provider}" aria-label="Disconnect ${name}">
      Disconnect
    </button>
  </form> `;
}
