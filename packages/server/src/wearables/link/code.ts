import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { App } from '../../app.ts';
import { recordWrongToken, requireTriesLeft } from '../../hosted/hosted.ts';
import {
  findWorkingToken,
  getTeam,
  issueUserToken,
  readTeamSettings,
  systemNowOf,
  type TokenIssuer,
} from '../../identity/management/management.ts';
import { DAY, HOUR, later } from '../../platform/clock.ts';
import { digestToken } from '../../platform/crypto/secret-token.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { invalidField } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { findUser, getUser } from '../../users/users/users.ts';
import { LinkError } from '../connections/connect.ts';
import { createSignInToken, ensureSigningKey } from '../user-apps/user-apps.ts';
import type { ExchangedCodeView } from './schema.ts';
import * as store from './store.ts';

const CODE_LIFETIME_MS = HOUR;
const CODE_LIFETIME_MAX_MS = DAY;

interface NewLinkCode {
  readonly user_id: string;
  readonly expires_at?: string | null | undefined;
  readonly issuer: TokenIssuer;
}

/**
 * Creates a short code that a user types or scans into an app. The URL scheme is the one that existing apps register.
 * In the rare case that the tenant has the same already, which would sign in another user, another code is made.
 */
export async function createLinkCode(
  work: Work,
  region: string,
  { user_id, expires_at, issuer }: NewLinkCode,
): Promise<{ code: string; exchange_url: string; expires_at: Date }> {
  const user = await getUser(work, user_id);
  const until = expires_at == null ? later(work.now, CODE_LIFETIME_MS) : new Date(expires_at);
  if (until <= work.now || until > later(work.now, CODE_LIFETIME_MAX_MS)) {
    throw invalidField(['query', 'expires_at'], 'expected a timestamp within the next 24 hours');
  }
  const wanted = { kind: 'link_code' as const, userId: user.id, issuer, expiresAt: until };
  const { id } = await issueUserToken(work, wanted);
  const kind = work.tenant.environment === 'sandbox' ? 'sk' : 'pk';
  for (;;) {
    const code = `${kind}${region}${randomBytes(4).toString('hex')}`;
    const row = { digest: digestToken(code), token_id: id, user_id: user.id, expires_at: until };
    if (await store.insertCode(work, row))
      return { code, exchange_url: `tryvital://tryvital?code=${code}`, expires_at: until };
  }
}

/**
 * Exchanges a code for a sign-in token, once. Throws LinkError for an unknown, used or expired code, and a 429 to an
 * address that has tried too many: a code is short.
 */
export async function exchangeCode(
  app: App,
  { code, address }: { readonly code: string; readonly address: string },
): Promise<z.input<typeof ExchangedCodeView>> {
  requireTriesLeft(app, address);
  const digest = digestToken(code);
  const tenant = await findTenant(app, digest);
  const exchanged = tenant && (await exchangeInTenant(app, tenant, digest));
  if (exchanged) return exchanged;
  recordWrongToken(app, address);
  throw new LinkError('invalid_token', 'The code is unknown, was used or has expired; ask for a new one');
}

/** The tenant of a code; undefined where two have the same, which leads to neither. */
async function findTenant({ db }: App, digest: Buffer): Promise<Tenant | undefined> {
  const [found, ...more] = await asSystem(db, (tx) => store.listTenantsOfCode(tx, digest));
  return found && more.length === 0 ? { teamId: found.team_id, environment: found.environment } : undefined;
}

async function exchangeInTenant(app: App, tenant: Tenant, digest: Buffer) {
  const key = await ensureSigningKey(app, tenant);
  const { REGION: region } = app.config;
  return inTenant(app, tenant, async (work) => {
    const row = await store.consumeCode(work, digest);
    const user = row && (await findUser(work, row.user_id));
    if (!row || !user || row.token_id === null || row.expires_at <= work.now) return undefined;
    const { token_id: tokenId } = row;
    const now = systemNowOf(work);
    const wanted = { tenant, id: tokenId, kind: 'link_code' as const };
    if (!(await findWorkingToken(work.tx, wanted, now))) return undefined;
    const signIn = { userId: user.id, issuer: { tokenId }, key, region };
    const { word } = await createSignInToken(work, signIn);
    await store.endCodeToken(work, tokenId, now);
    const team = await getTeam(work.tx, tenant.teamId);
    const { logo_url } = await readTeamSettings(work);
    return { user_id: user.id, sign_in_token: word, team: { name: team.name, logo_url } };
  });
}
