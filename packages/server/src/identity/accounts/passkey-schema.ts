import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import type { PasskeyRow } from '../factors/factors.ts';
import { DisplayName } from '../organizations/organizations.ts';
import { EnrolledFactorView } from './factor-schema.ts';

const Base64Url = z
  .string()
  .min(1)
  .max(20_000)
  .regex(/^[\w-]+$/, 'expected base64url without padding');
const Extensions = z.object({}).default({}).describe('Not used.');
const CredentialId = Base64Url.describe('The id of the passkey, in base64url.');
const RawId = Base64Url.describe('The same as `id`.');
const CredentialType = z.literal('public-key').describe('Always `public-key`.');
const ClientData = Base64Url.describe('What the browser saw: challenge, origin and kind of request.');

/** What `navigator.credentials.create` returned, by its `toJSON`. */
const AttestedCredential = z
  .object({
    id: CredentialId,
    rawId: RawId,
    type: CredentialType,
    response: z
      .object({
        clientDataJSON: ClientData,
        attestationObject: Base64Url.describe('The new public key, with data of the authenticator.'),
        transports: z
          .array(z.string().max(20))
          .max(10)
          .default([])
          .describe('How the browser reaches the authenticator, such as `internal` or `usb`.'),
      })
      .describe('The answer of the authenticator.'),
    clientExtensionResults: Extensions,
  })
  .meta({ id: 'AttestedCredential' });

/** What `navigator.credentials.get` returned, by its `toJSON`. */
const AssertedCredential = z
  .object({
    id: CredentialId,
    rawId: RawId,
    type: CredentialType,
    response: z
      .object({
        clientDataJSON: ClientData,
        authenticatorData: Base64Url.describe(
          'Who was asked, whether the user was verified, and the counter.',
        ),
        signature: Base64Url.describe('Of the two before, by the key of the passkey.'),
        userHandle: Base64Url.describe('Discoverable passkeys always have it.'),
      })
      .describe('The answer of the authenticator.'),
    clientExtensionResults: Extensions,
  })
  .meta({ id: 'AssertedCredential' });

export const ShowPasskey = z
  .object({
    credential: AssertedCredential.describe('What `navigator.credentials.get` returned, by `toJSON`.'),
  })
  .meta({ id: 'ShowPasskey' });
const PasskeyName = DisplayName.describe('A name by which the member recognizes it.');
export const RegisterPasskey = z
  .object({
    name: PasskeyName,
    credential: AttestedCredential.describe('What `navigator.credentials.create` returned, by `toJSON`.'),
  })
  .meta({ id: 'RegisterPasskey' });
export const RenamePasskey = z.object({ name: PasskeyName }).meta({ id: 'RenamePasskey' });

const Descriptor = z.object({
  type: z.literal('public-key'),
  id: z.string(),
  transports: z.array(z.string()),
});

export const RequestOptions = z
  .object({
    challenge: z.string(),
    timeout: z.number().int().describe('Milliseconds.'),
    rpId: z.string(),
    userVerification: z.literal('required'),
  })
  .meta({ id: 'PasskeyRequestOptions' });
export const CreationOptions = z
  .object({
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    challenge: z.string(),
    pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number().int() })),
    timeout: z.number().int().describe('Milliseconds.'),
    excludeCredentials: z.array(Descriptor),
    authenticatorSelection: z.object({
      residentKey: z.literal('required'),
      requireResidentKey: z.literal(true),
      userVerification: z.literal('required'),
    }),
    attestation: z.literal('none'),
  })
  .meta({ id: 'PasskeyCreationOptions' });

const PasskeyView = z
  .object({
    id: z.uuid(),
    name: z.string(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable().describe('When it last signed in; null before.'),
  })
  .meta({ id: 'MemberPasskey' });
export const PasskeyList = z.object({ passkeys: z.array(PasskeyView) }).meta({ id: 'MemberPasskeyList' });
export const RegisteredPasskeyView = EnrolledFactorView.extend({
  passkey_id: z.uuid().describe('The new passkey.'),
}).meta({ id: 'RegisteredPasskey' });

export const toPasskeyView = (row: PasskeyRow): z.input<typeof PasskeyView> => ({
  id: row.id,
  name: row.name,
  created_at: isoTimestamp(row.created_at),
  last_used_at: row.last_used_at && isoTimestamp(row.last_used_at),
});
