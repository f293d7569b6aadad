import { randomBytes } from 'node:crypto';
import type * as Kms from '@aws-sdk/client-kms';
import {
  KeyProviderError,
  type KeyProvider,
  type WrappingContext,
} from '../../platform/crypto/key-provider.ts';
import type { AwsKmsSetting } from '../../platform/crypto/key-provider-setting.ts';

const ATTEMPTS = 3;
const CONNECT_MS = 2_000;
const RESPONSE_MS = 5_000;
const CHECK = { purpose: 'check' } as const;

/**
 * A key of AWS KMS. The encryption context binds what it wraps to its purpose and tenant, so that key policies can
 * name them and CloudTrail shows them. Resolves once KMS has wrapped and unwrapped a key, which also tells the ARN of
 * the key behind an alias. Credentials come from the AWS client's own chain.
 */
export async function openAwsKms(setting: AwsKmsSetting): Promise<KeyProvider> {
  const kms = await import('@aws-sdk/client-kms');
  const client = createClient(kms, setting);
  const encrypt = async (KeyId: string, Plaintext: Buffer, context: WrappingContext) => {
    const EncryptionContext = toEncryptionContext(context);
    const answer = await send(setting, () =>
      client.send(new kms.EncryptCommand({ KeyId, Plaintext, EncryptionContext })),
    );
    return { arn: requireField(answer.KeyId), blob: Buffer.from(requireField(answer.CiphertextBlob)) };
  };
  const decrypt = async (KeyId: string, CiphertextBlob: Buffer, context: WrappingContext) => {
    const EncryptionContext = toEncryptionContext(context);
    const answer = await send(setting, () =>
      client.send(new kms.DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext })),
    );
    return Buffer.from(requireField(answer.Plaintext));
  };
  const first = await encrypt(setting.key, randomBytes(32), CHECK);
  await decrypt(first.arn, first.blob, CHECK);
  return {
    name: 'aws-kms',
    fingerprint: first.arn,
    location: first.arn,
    wrap: async (key, context) => (await encrypt(first.arn, key, context)).blob,
    unwrap: (wrapped, context) => decrypt(first.arn, wrapped, context),
    check: async () => {
      const { blob } = await encrypt(first.arn, randomBytes(32), CHECK);
      await decrypt(first.arn, blob, CHECK);
    },
  };
}

const createClient = (kms: typeof Kms, { region, endpoint }: AwsKmsSetting): Kms.KMSClient =>
  new kms.KMSClient({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: RESPONSE_MS },
  });

const toEncryptionContext = ({ purpose, tenant }: WrappingContext): Record<string, string> => ({
  'aliquot:purpose': purpose,
  ...(tenant
    ? {
        'aliquot:team': tenant.team_id,
        'aliquot:environment': tenant.environment,
        'aliquot:generation': String(tenant.generation),
      }
    : {}),
});

function requireField<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('AWS KMS returned an answer without an expected field');
  return value;
}

const WRONG = new Set(['InvalidCiphertextException', 'IncorrectKeyException']);
const REFUSED = new Set([
  'AccessDeniedException',
  'KMSInvalidStateException',
  'DisabledException',
  'NotFoundException',
  'InvalidKeyUsageException',
  'CredentialsProviderError',
  'ExpiredTokenException',
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'IncompleteSignatureException',
  'InvalidClientTokenId',
  'InvalidArnException',
  'ValidationException',
]);

async function send<T>({ key }: AwsKmsSetting, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const name = error instanceof Error ? error.name : 'error';
    const text = error instanceof Error ? error.message : String(error);
    const reason = WRONG.has(name) ? 'wrong_key' : REFUSED.has(name) ? 'refused' : 'unavailable';
    throw new KeyProviderError('aws-kms', reason, `AWS KMS, key ${key}: ${name}: ${text}`);
  }
}
