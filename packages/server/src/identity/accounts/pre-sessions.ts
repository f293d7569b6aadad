import type { App } from '../../app.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import { digestToken, newSecretToken } from '../../platform/crypto/secret-token.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import type { RequestHeaders } from '../../platform/http/serve-open.ts';
import { newId } from '../../platform/ids.ts';
import * as store from './pre-session-store.ts';
import { readCookieToken, requireSameOrigin, secretCookie } from './session-cookie.ts';

const LIFE_MS = 10 * MINUTE;

/** A member who has shown a password or a link, and must show a second factor or enroll one. It permits nothing else. */
export interface PreSession {
  readonly id: string;
  readonly memberId: string;
  readonly orgId: string;
  readonly name: string;
  readonly email: string;
  readonly method: 'password' | 'link';
}

/** A new one. The token is in the cookie and is stored nowhere. */
interface OpenedPreSession {
  readonly cookie: string;
  readonly expiresAt: Date;
}

/** In the transaction that consumes the first factor. */
export async function openPreSession(
  app: App,
  tx: Tx,
  { memberId, orgId, method }: Pick<PreSession, 'memberId' | 'orgId' | 'method'>,
): Promise<OpenedPreSession> {
  const token = newSecretToken();
  const now = app.clock.now();
  const expiresAt = later(now, LIFE_MS);
  await store.insertPreSession(tx, {
    id: newId(),
    org_id: orgId,
    member_id: memberId,
    digest: digestToken(token),
    method,
    created_at: now,
    expires_at: expiresAt,
  });
  return { cookie: secretCookie(app, 'sign-in', token), expiresAt };
}

/** The pre-session of a request, or a 401. Throws a 403 for a request that another site may have caused. */
export async function requirePreSession(
  app: App,
  request: { headers: RequestHeaders; method: string },
): Promise<PreSession> {
  requireSameOrigin(app, request);
  const token = readCookieToken(app, 'sign-in', request.headers);
  const row =
    token === undefined
      ? undefined
      : await asSystem(app.db, (tx) => store.findPreSessionByDigest(tx, digestToken(token), app.clock.now()));
  if (!row) throw preSessionEnded();
  const { id, member_id: memberId, org_id: orgId, name, email, method } = row;
  return { id, memberId, orgId, name, email, method };
}

/** Ends it, in the transaction that opens the session. 401 if it was used, also by a concurrent call. */
export async function consumePreSession(tx: Tx, { id }: Pick<PreSession, 'id'>): Promise<void> {
  if (!(await store.deletePreSession(tx, id))) throw preSessionEnded();
}

const preSessionEnded = () =>
  new DomainError('unauthorized', 'Your sign-in was not completed within 10 minutes: sign in again');
