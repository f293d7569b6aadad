import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import type { RequestHeaders } from '../../platform/http/serve-open.ts';
import {
  addedFactor,
  consumePasskeyChallenge,
  registerPasskey,
  type PasskeyAttestation,
} from '../factors/factors.ts';
import { finishEnrollment, type Enrollee } from './enrollment.ts';
import { mailFactorChange } from './factor-mail.ts';
import { readCookieToken } from './session-cookie.ts';
import { memberActor, type OpenedSession, type SessionOrigin } from './sessions.ts';

interface NewPasskey {
  readonly headers: RequestHeaders;
  readonly name: string;
  readonly credential: PasskeyAttestation;
  readonly origin: SessionOrigin;
}

interface AddedPasskey {
  readonly id: string;
  /** Undefined for a member who had some. */
  readonly recoveryCodes: string[] | undefined;
  /** The session of a sign-in that this completes. */
  readonly opened: OpenedSession | undefined;
}

/** Registers a passkey for the challenge of this browser. 400 without one, or for an invalid passkey. */
export async function addPasskey(app: App, enrollee: Enrollee, added: NewPasskey): Promise<AddedPasskey> {
  const { memberId, orgId } = enrollee;
  const { headers, name, credential, origin } = added;
  const challenge = await consumePasskeyChallenge(app, readCookieToken(app, 'passkey', headers), memberId);
  if (challenge === undefined)
    throw new DomainError('bad_request', 'This browser has no challenge, or used it: begin again');
  const store = await registerPasskey(app, { memberId, name, challenge, credential });
  const registered = await asSystem(app.db, async (tx) => {
    const id = await store(tx);
    const by = memberActor({ memberId }, origin);
    const recoveryCodes = await addedFactor(app, tx, { memberId, orgId, method: 'passkey', by });
    const opened = await finishEnrollment(app, tx, { enrollee, method: 'passkey', origin });
    return { id, recoveryCodes, opened };
  });
  await mailFactorChange(app, enrollee.email, 'passkey_added');
  return registered;
}
