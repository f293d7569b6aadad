import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { App } from '../../app.ts';
import { isTeamThere } from '../../management/management.ts';
import { DAY, HOUR, later, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import type { VisitAnswer, VisitInput } from '../../platform/http/serve-open.ts';
import { publicUrl } from '../../platform/public-url.ts';
import { ENVIRONMENTS, type Tenant } from '../../platform/tenant.ts';
import { inTenant, readTenant, type Work } from '../../platform/work.ts';
import { getUser } from '../../users/users.ts';
import { connectionsOf, deregister } from '../connections/connections.ts';
import type { Connection } from '../connections/connection.ts';
import { providerNamed } from '../providers.ts';
import { fieldsOf, markup, onTo, page, type Markup } from './html.ts';
import { wordsOf } from './pages.ts';
import { createLinkToken } from './token.ts';

const UserId = z.object({ user_id: z.guid() });
const PORTAL_MS = HOUR;
const SIGNED_IN_MS = DAY;

const Claims = z.object({ sub: z.guid(), team: z.guid(), env: z.enum(ENVIRONMENTS) });
type Audience = 'portal' | 'sign_in';

/** A user of a tenant, as a word of ours names them. */
export interface SignedIn {
  readonly tenant: Tenant;
  readonly userId: string;
}

const keyFor = ({ keyring }: App, audience: Audience) => keyring.derive(`wearables/${audience}`);

/** Both times are the system's: a moved sandbox clock is nothing to the phone of a user. */
function sign(
  app: App,
  audience: Audience,
  { userId, tenant, lifeMs }: SignedIn & { lifeMs: number },
): Promise<string> {
  const now = app.clock.now();
  return new SignJWT({ team: tenant.teamId, env: tenant.environment })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(userId)
    .setAudience(audience)
    .setIssuedAt(now)
    .setExpirationTime(later(now, lifeMs))
    .sign(keyFor(app, audience));
}

/** Whose word it is; undefined for one that is over or not ours, or whose team was deleted. */
export async function readSigned(app: App, audience: Audience, word: string): Promise<SignedIn | undefined> {
  const who = await whoseWord(app, audience, word);
  return who && (await readTenant(app, who.tenant, isTeamThere)) ? who : undefined;
}

async function whoseWord(app: App, audience: Audience, word: string): Promise<SignedIn | undefined> {
  try {
    const options = { audience, currentDate: app.clock.now(), algorithms: ['HS256'] };
    const { payload } = await jwtVerify(word, keyFor(app, audience), options);
    const { sub, team, env } = Claims.parse(payload);
    return { userId: sub, tenant: { teamId: team, environment: env } };
  } catch {
    return undefined;
  }
}

/** What lets a user in without a key: to the app of the team, and to a page of ours. */
export function portalRoutes(http: Http, app: App): void {
  http.post('/v2/user/:user_id/sign_in_token', {
    schema: {
      operationId: 'createSignInToken',
      summary: 'Make a token by which the app of a user is known',
      description: 'It holds for a day.',
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
      const token = await sign(app, 'sign_in', { userId: id, tenant: work.tenant, lifeMs: SIGNED_IN_MS });
      return { user_id: id, sign_in_token: token };
    },
  });
  http.post('/v2/user/:user_id/create_portal_url', {
    schema: {
      operationId: 'createPortalUrl',
      summary: 'Make the address of a page where a user sees and ends connections',
      description: 'It holds for an hour. There is no page for communications: 400.',
      tag: 'Users',
      params: UserId,
      body: z
        .object({ context: z.enum(['launch', 'communications']), order_id: z.guid().nullish() })
        .meta({ id: 'CreateUserPortalURLBody' }),
      response: {
        200: z.object({ url: z.string(), expires_in: z.int() }).meta({ id: 'CreateUserPortalURLResponse' }),
      },
    },
    handler: async ({ work, params, body }) => {
      const { id } = await getUser(work, params.user_id);
      if (body.context !== 'launch') {
        const instead = 'PATCH /v3/order/{order_id}/communication_settings';
        throw new DomainError('bad_request', `There is no page for communications; use ${instead}`);
      }
      const word = await sign(app, 'portal', { userId: id, tenant: work.tenant, lifeMs: PORTAL_MS });
      return { url: urlOf(app, word), expires_in: PORTAL_MS / SECOND };
    },
  });
  http.visit('/portal', { methods: ['GET', 'POST'], handler: (visit) => visited(app, visit) });
}

const urlOf = ({ config }: App, word: string) => publicUrl(config, `/portal?token=${word}`);

async function visited(app: App, { method, query, body }: VisitInput): Promise<VisitAnswer> {
  const fields = fieldsOf(body);
  const word = (method === 'POST' ? fields['token'] : query['token']) ?? '';
  const who = await readSigned(app, 'portal', word);
  if (!who) return over();
  try {
    if (method === 'POST') return onTo(await act(app, who, { word, fields }));
    const connections = await readTenant(app, who.tenant, (work) => connectionsOf(work, who.userId));
    return portalPage({ word, connections, note: noteOf(query, connections) });
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'not_found') return over();
    throw error;
  }
}

const over = () =>
  page({
    title: 'This link is over',
    status: 400,
    body: markup`<p role="alert">Ask for a new one.</p>`,
  });

interface Acted {
  readonly word: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Does what a button says; answers where the browser goes then. */
async function act(app: App, { tenant, userId }: SignedIn, { word, fields }: Acted): Promise<string> {
  const { disconnect: provider } = fields;
  const back = urlOf(app, word);
  return inTenant(app, tenant, async (work) => {
    if (provider === undefined) return linkUrl(work, app, { userId, back });
    const has = (await connectionsOf(work, userId)).some((one) => one.provider === provider);
    if (has) await deregister(work, userId, provider);
    return back;
  });
}

const NEW_LINK = { provider: null, only: null, redirectsErrors: true, redirectsClose: true };

const linkUrl = async (work: Work, app: App, { userId, back }: { userId: string; back: string }) =>
  (await createLinkToken(work, app, { ...NEW_LINK, userId, redirectUrl: back })).link_web_url;

/** What came of connecting something, where the user comes back from that. */
function noteOf(
  { state, provider, error_type: errorType }: VisitInput['query'],
  connections: readonly Connection[],
): Markup | undefined {
  if (state === 'error') return markup`<p role="alert">${wordsOf(errorType)}</p>`;
  const made = connections.find((one) => state === 'success' && one.provider === provider);
  return made && markup`<p role="status">${providerNamed(made.provider).name} is connected.</p>`;
}

interface Portal {
  readonly word: string;
  readonly connections: readonly Connection[];
  readonly note: Markup | undefined;
}

const portalPage = ({ word, connections, note }: Portal): VisitAnswer =>
  page({
    title: 'Your connections',
    body: markup`${note}
      ${connections.length === 0 ? markup`<p>Nothing is connected.</p>` : undefined}
      ${connections.map((one) => connectionRow(word, one))}
      <form method="post" action="/portal">
        <input type="hidden" name="token" value="${word}" />
        <button>Connect something</button>
      </form>`,
  });

function connectionRow(word: string, { provider, status }: Connection): Markup {
  const { name, logo } = providerNamed(provider);
  const state = { connected: 'connected', paused: 'paused', error: 'needs to be connected anew' }[status];
  return markup`<form method="post" action="/portal" class="choice">
    <img src="${logo}" alt="" /><span>${name}<small>${state}</small></span>
    <input type="hidden" name="token" value="${word}" />
    <button class="quiet" name="disconnect" value="${provider}" aria-label="Disconnect ${name}">
      Disconnect
    </button>
  </form> `;
}
