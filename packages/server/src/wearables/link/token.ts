import type { App } from '../../app.ts';
import {
  findWorkingToken,
  issueUserToken,
  systemNowOf,
  type TokenIssuer,
} from '../../identity/management/management.ts';
import { DAY, later } from '../../platform/clock.ts';
import { publicUrl } from '../../platform/public-url.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { readTenant, type Work } from '../../platform/work.ts';
import { findUser, getUser, type User } from '../../users/users/users.ts';
import { LinkError } from '../connections/connect.ts';
import { requireRegisteredScheme } from './redirect.ts';
import * as store from './store.ts';
import { createSignedToken, verifySignedToken } from './signed-tokens.ts';

/** How long an expired token is kept, so that it is reported as expired and not as unknown. */
const EXPIRED_RETENTION_MS = DAY;

interface LinkTokenOptions {
  readonly userId: string;
  readonly provider: string | null;
  readonly only: readonly string[] | null;
  readonly redirectUrl: string | null;
  readonly redirectsErrors: boolean;
  readonly redirectsClose: boolean;
  readonly issuer: TokenIssuer;
}

/** Creates a token with which a user can connect one provider within an hour. */
export async function createLinkToken(
  work: Work,
  app: App,
  given: LinkTokenOptions,
): Promise<{ link_token: string; link_web_url: string; token_id: string }> {
  await requireRegisteredScheme(work, given.redirectUrl);
  const user = await getUser(work, given.userId);
  const issued = await issueUserToken(work, { kind: 'link', userId: user.id, issuer: given.issuer });
  const { word, digest } = createSignedToken(app, 'link_token', { tenant: work.tenant });
  const row = {
    digest,
    token_id: issued.id,
    user_id: user.id,
    provider: given.provider,
    filter_on_providers: given.only === null ? null : [...given.only],
    redirect_url: given.redirectUrl,
    redirects_errors: given.redirectsErrors,
    redirects_close: given.redirectsClose,
    expires_at: issued.expiresAt,
    used_at: null,
    created_at: work.now,
  };
  await store.insertToken(work, row, later(work.now, -EXPIRED_RETENTION_MS));
  return { link_token: word, link_web_url: linkPageUrl(app, word), token_id: issued.id };
}

const linkPageUrl = ({ config }: Pick<App, 'config'>, word: string): string =>
  publicUrl(config, `/link?token=${word}`);

/** A valid link token. */
export interface LinkToken {
  readonly tenant: Tenant;
  readonly row: store.LinkTokenRow;
  readonly user: User;
}

/** Verifies a link token. Throws LinkError if it is unknown, expired or used. */
export async function openToken(app: App, word: string): Promise<LinkToken> {
  const ticket = verifySignedToken(app, 'link_token', word);
  if (!ticket) throw new LinkError('invalid_token', 'Expected a link token');
  return readTenant(app, ticket.tenant, async (work) => {
    const { row, user } = await requireToken(work, ticket.digest);
    return { tenant: ticket.tenant, row, user };
  });
}

/** Same, inside a transaction of its tenant. */
export async function requireToken(
  work: Work,
  digest: Buffer,
): Promise<{ row: store.LinkTokenRow; user: User }> {
  const row = await store.findToken(work, digest);
  const user = row && (await findUser(work, row.user_id));
  if (!row || !user) throw new LinkError('invalid_token', 'Expected a link token');
  if (row.used_at) throw new LinkError('token_consumed', 'The link token was used already');
  if (await isRevoked(work, row)) throw new LinkError('invalid_token', 'Expected a link token');
  if (row.expires_at <= work.now)
    throw new LinkError('token_expired', 'The link token has expired; create a new one');
  return { row, user };
}

/** Whether a link token, its key or the token that issued it was revoked, or its team was deleted. */
export async function isRevoked(work: Work, { token_id: id }: store.LinkTokenRow): Promise<boolean> {
  if (id === null) return true;
  const wanted = { tenant: work.tenant, id, kind: 'link' as const };
  return (await findWorkingToken(work.tx, wanted, systemNowOf(work))) === undefined;
}
