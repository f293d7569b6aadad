import { isIP } from 'node:net';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { App } from '../../app.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import { digestToken, newSecretToken } from '../../platform/crypto/secret-token.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { FactorOwner } from './totp.ts';
import * as store from './passkey-store.ts';

/** Loaded with the first passkey: with its certificates it is a tenth of what a process would load at its start. */
const webAuthn = () => import('@simplewebauthn/server');

const CHALLENGE_MS = 5 * MINUTE;
/** EdDSA, ES256 and RS256: every authenticator has one of them. */
export const PASSKEY_ALGORITHMS: readonly number[] = [-8, -7, -257];

/** Whom passkeys are for: they work at this origin only. */
interface RelyingParty {
  /** A domain name. */
  readonly id: string;
  readonly origin: string;
}

/** By PUBLIC_URL; without one, a browser on the same machine. 400 where PUBLIC_URL has an IP address. */
export function relyingPartyOf({ config: { PUBLIC_URL, PORT } }: App): RelyingParty {
  const { hostname, origin } = new URL(PUBLIC_URL ?? `http://localhost:${PORT}`);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) === 0) return { id: hostname, origin };
  throw new DomainError('bad_request', 'Passkeys need a domain name: PUBLIC_URL has an IP address');
}

/** How authenticators name a member: the bytes of the id, in base64url. */
export const toUserHandle = (memberId: string): string =>
  Buffer.from(memberId.replaceAll('-', ''), 'hex').toString('base64url');

interface PasskeyChallenge {
  readonly challenge: string;
  /** To be kept in a cookie: only this browser can answer. */
  readonly browserToken: string;
}

/** A challenge for one answer within 5 minutes: to register a passkey of the member, or without one to sign in. */
export async function createPasskeyChallenge(
  app: App,
  memberId: string | undefined,
): Promise<PasskeyChallenge> {
  const [challenge, browserToken] = [newSecretToken(), newSecretToken()];
  const now = app.clock.now();
  const row = {
    browser: digestToken(browserToken),
    challenge,
    member_id: memberId ?? null,
    expires_at: later(now, CHALLENGE_MS),
  };
  await asSystem(app.db, (tx) => store.saveChallenge(tx, row, now));
  return { challenge, browserToken };
}

/** Uses up the challenge of a browser, also if what follows fails. Undefined without one for this member. */
export async function consumePasskeyChallenge(
  app: App,
  browserToken: string | undefined,
  memberId: string | undefined,
): Promise<string | undefined> {
  if (browserToken === undefined) return undefined;
  const digest = digestToken(browserToken);
  const row = await asSystem(app.db, (tx) => store.takeChallenge(tx, digest, app.clock.now()));
  return row && row.member_id === (memberId ?? null) ? row.challenge : undefined;
}

/** What an authenticator answers to a registration and to a sign-in, as browsers serialize it. */
export type PasskeyAttestation = RegistrationResponseJSON;
export type PasskeyAssertion = AuthenticationResponseJSON;

interface PasskeyRegistration {
  readonly memberId: string;
  readonly name: string;
  readonly challenge: string;
  readonly credential: PasskeyAttestation;
}

/** Verifies a new passkey. The result stores it. 400 for an invalid one, 409 for one that is registered. */
export async function registerPasskey(
  app: App,
  { memberId, name, challenge, credential }: PasskeyRegistration,
): Promise<(tx: Tx) => Promise<string>> {
  const party = relyingPartyOf(app);
  const { verifyRegistrationResponse } = await webAuthn();
  const verified = await verifyRegistrationResponse({
    response: credential,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: [...PASSKEY_ALGORITHMS],
  }).catch((error: unknown) => {
    app.log.info({ err: error }, 'a passkey was not registered');
    return undefined;
  });
  if (!verified?.verified) throw new DomainError('bad_request', 'The passkey is not valid for this service');
  const { id: credentialId, publicKey, counter } = verified.registrationInfo.credential;
  const id = newId();
  return async (tx) => {
    const isNew = await store.insertPasskey(tx, {
      id,
      member_id: memberId,
      credential_id: credentialId,
      public_key: Buffer.from(publicKey),
      counter,
      transports: [...(credential.response.transports ?? [])],
      name,
      created_at: app.clock.now(),
      last_used_at: null,
    });
    if (!isNew) throw new DomainError('conflict', 'This passkey is registered already');
    return id;
  };
}

interface VerifiedPasskey extends FactorOwner {
  /** Records the use, in the transaction of the session. False if its counter did not grow. */
  readonly recordUse: (tx: Tx) => Promise<boolean>;
}

/**
 * The member whose passkey signed the challenge, with a verified user. Undefined for an unknown passkey, one of another
 * member than it says, and any flaw of the answer.
 */
export async function verifyPasskey(
  app: App,
  { challenge, credential }: { challenge: string; credential: PasskeyAssertion },
): Promise<VerifiedPasskey | undefined> {
  const party = relyingPartyOf(app);
  const row = await asSystem(app.db, (tx) => store.findPasskey(tx, credential.id));
  if (!row || credential.response.userHandle !== toUserHandle(row.member_id)) return undefined;
  const { verifyAuthenticationResponse } = await webAuthn();
  const verified = await verifyAuthenticationResponse({
    response: credential,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    credential: {
      id: row.credential_id,
      publicKey: new Uint8Array(row.public_key),
      counter: Number(row.counter),
    },
  }).catch((error: unknown) => {
    app.log.info({ err: error, member: row.member_id }, 'a passkey was refused');
    return undefined;
  });
  if (!verified?.verified) return undefined;
  const counter = verified.authenticationInfo.newCounter;
  return {
    memberId: row.member_id,
    orgId: row.org_id,
    recordUse: (tx) => store.recordPasskeyUse(tx, { id: row.id, counter, at: app.clock.now() }),
  };
}
