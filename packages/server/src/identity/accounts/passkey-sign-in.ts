import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import type { RequestHeaders } from '../../platform/http/serve-open.ts';
import { consumePasskeyChallenge, verifyPasskey, type PasskeyAssertion } from '../factors/factors.ts';
import { readCookieToken } from './session-cookie.ts';
import { openSessionIn, type MemberSession, type OpenedSession, type SessionOrigin } from './sessions.ts';
import { replaceSession } from './sign-in.ts';

interface PasskeyProof {
  readonly headers: RequestHeaders;
  readonly credential: PasskeyAssertion;
  readonly origin: SessionOrigin;
}

const refused = () =>
  new DomainError(
    'unauthorized',
    'This passkey was not accepted: it may be removed, or took more than 5 minutes',
  );

/** Signs in with a passkey alone: the device and what unlocks it are two factors. 401 for any flaw. */
export function signInWithPasskey(app: App, proof: PasskeyProof): Promise<OpenedSession> {
  return usePasskey(app, proof, undefined);
}

/** The same for a signed-in member, whose session is replaced. 401 for the passkey of another member. */
export function reauthenticateWithPasskey(
  app: App,
  session: MemberSession,
  proof: PasskeyProof,
): Promise<OpenedSession> {
  return usePasskey(app, proof, session);
}

async function usePasskey(
  app: App,
  { headers, credential, origin }: PasskeyProof,
  session: MemberSession | undefined,
): Promise<OpenedSession> {
  const challenge = await consumePasskeyChallenge(app, readCookieToken(app, 'passkey', headers), undefined);
  if (challenge === undefined) throw refused();
  const verified = await verifyPasskey(app, { challenge, credential });
  if (!verified || (session && session.memberId !== verified.memberId)) throw refused();
  return asSystem(app.db, async (tx) => {
    if (!(await verified.recordUse(tx))) throw refused();
    if (session) return replaceSession(app, tx, { session, origin });
    return openSessionIn(app, tx, { memberId: verified.memberId, origin });
  });
}
