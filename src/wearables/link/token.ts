import type { App } from '../../app.ts';
import { isTeamThere } from '../../management/management.ts';
import { DAY, later, MINUTE } from '../../platform/clock.ts';
import { publicUrl } from '../../platform/public-url.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { readTenant, type Work } from '../../platform/work.ts';
import { findUser, getUser, type User } from '../../users/users.ts';
import { LinkRefused } from '../connections/connect.ts';
import * as store from './store.ts';
import { newTicket, readTicket } from './tickets.ts';

const LIFE_MS = 60 * MINUTE;
/** How long we can still say that a token ended, and not only that we do not know it. */
const REMEMBERED_MS = DAY;

export interface NewLinkToken {
  readonly userId: string;
  readonly provider: string | null;
  readonly only: readonly string[] | null;
  readonly redirectUrl: string | null;
  readonly redirectsErrors: boolean;
  readonly redirectsClose: boolean;
}

/** A token with which one user can connect one thing within the hour. */
export async function createLinkToken(
  work: Work,
  app: App,
  given: NewLinkToken,
): Promise<{ link_token: string; link_web_url: string }> {
  const user = await getUser(work, given.userId);
  const { word, digest } = newTicket(app, 'link_token', work.tenant);
  const row = {
    digest,
    user_id: user.id,
    provider: given.provider,
    filter_on_providers: given.only === null ? null : [...given.only],
    redirect_url: given.redirectUrl,
    redirects_errors: given.redirectsErrors,
    redirects_close: given.redirectsClose,
    expires_at: later(work.now, LIFE_MS),
    used_at: null,
    created_at: work.now,
  };
  await store.insertToken(work, row, later(work.now, -REMEMBERED_MS));
  return { link_token: word, link_web_url: pageUrl(app, word) };
}

export const pageUrl = ({ config }: Pick<App, 'config'>, word: string): string =>
  publicUrl(config, `/link?token=${word}`);

/** A token that holds: whose it is, and what it is for. */
export interface LinkToken {
  readonly tenant: Tenant;
  readonly row: store.LinkTokenRow;
  readonly user: User;
}

/** The token behind a word. Throws LinkRefused for one that is unknown, over or used. */
export async function openToken(app: App, word: string): Promise<LinkToken> {
  const ticket = readTicket(app, 'link_token', word);
  if (!ticket) throw new LinkRefused('invalid_token', 'Expected a link token');
  return readTenant(app, ticket.tenant, async (work) => {
    const { row, user } = await requireToken(work, ticket.digest);
    return { tenant: ticket.tenant, row, user };
  });
}

/** The same inside a work of its tenant. */
export async function requireToken(
  work: Work,
  digest: Buffer,
): Promise<{ row: store.LinkTokenRow; user: User }> {
  const row = (await isTeamThere(work)) ? await store.findToken(work, digest) : undefined;
  const user = row && (await findUser(work, row.user_id));
  if (!row || !user) throw new LinkRefused('invalid_token', 'Expected a link token');
  if (row.used_at) throw new LinkRefused('token_consumed', 'The link token was used already');
  if (row.expires_at <= work.now)
    throw new LinkRefused('token_expired', 'The link token is over; ask for a new one');
  return { row, user };
}
