import { z } from 'zod';
import { parseKeyProviderSetting } from './crypto/key-provider-setting.ts';

const ENCRYPTION_KEY = /^[A-Za-z0-9+/_-]{43}=?$/;
const encryptionKey = () => z.string().regex(ENCRYPTION_KEY, 'expected 32 bytes in base64').optional();

const keyProvider = () =>
  z
    .string()
    .superRefine((text, context) => {
      const setting = parseKeyProviderSetting(text);
      if (typeof setting === 'string') context.addIssue({ code: 'custom', message: setting, input: text });
    })
    .optional();

/** Settings for the key that wraps the data keys. */
export const keySettings = {
  ENCRYPTION_KEY: encryptionKey().describe(
    'Wraps the data key of every tenant: 32 bytes in base64. Default: generated in DATA_DIR.',
  ),
  PREVIOUS_ENCRYPTION_KEY: encryptionKey().describe(
    'The previous ENCRYPTION_KEY. Read by `aliquot keys rewrap`, and for ADDITIONAL_KEY_PROVIDER=environment.',
  ),
  KEY_PROVIDER: keyProvider().describe(
    'Where the master key is: `environment` (ENCRYPTION_KEY), `file` or `file:PATH`, ' +
      '`aws-kms:KEY_ARN` or `vault-transit:https://HOST:PORT/MOUNT/KEY` ' +
      '(docs/how-to/manage-keys.md has their options). Default: `environment` if ENCRYPTION_KEY is set, else `file`.',
  ),
  ADDITIONAL_KEY_PROVIDER: keyProvider().describe(
    'A second provider that only unwraps, while keys are moved from one to another. The same forms as KEY_PROVIDER.',
  ),
  KEY_CACHE_SECONDS: z.coerce
    .number()
    .int()
    .min(60)
    .max(86_400)
    .default(3600)
    .describe(
      'How long an unwrapped data key is used before a key management service must answer again. Keys in use are renewed after half of it.',
    ),
  KEY_CACHE_SIZE: z.coerce
    .number()
    .int()
    .min(100)
    .max(1_000_000)
    .default(20_000)
    .describe('How many unwrapped data keys a process holds in memory.'),
};

interface KeyConfig {
  readonly ENCRYPTION_KEY?: string | undefined;
  readonly PREVIOUS_ENCRYPTION_KEY?: string | undefined;
  readonly KEY_PROVIDER?: string | undefined;
  readonly ADDITIONAL_KEY_PROVIDER?: string | undefined;
}

export function findKeyErrors(config: KeyConfig): string[] {
  const { ENCRYPTION_KEY: key, PREVIOUS_ENCRYPTION_KEY: previous } = config;
  const isMissing = config.KEY_PROVIDER === 'environment' && key === undefined;
  const isOtherMissing = config.ADDITIONAL_KEY_PROVIDER === 'environment' && (previous ?? key) === undefined;
  return [
    ...(isMissing ? ['ENCRYPTION_KEY: expected, because KEY_PROVIDER is environment'] : []),
    ...(isOtherMissing
      ? ['PREVIOUS_ENCRYPTION_KEY: expected, because ADDITIONAL_KEY_PROVIDER is environment']
      : []),
  ];
}
