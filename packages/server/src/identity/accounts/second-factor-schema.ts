import { z } from 'zod';
import { invalidField } from '../../platform/errors.ts';
import type { SecondFactorProof } from './second-factor.ts';

export const TotpCode = z
  .string()
  .regex(/^\d{6}$/, 'expected the six digits that the authenticator app shows')
  .describe('The six digits that the authenticator app shows. Each code is accepted once.')
  .meta({ examples: ['492039'] });

/** One of them shows a second factor. */
export const secondFactorFields = {
  totp_code: TotpCode.nullish(),
  recovery_code: z
    .string()
    .min(1)
    .max(100)
    .nullish()
    .describe('A recovery code instead. Each is accepted once; hyphens and upper case make no difference.'),
};

type SecondFactorFields = z.output<z.ZodObject<typeof secondFactorFields>>;

/** Undefined without a code; 422 for two. */
export function toProof({
  totp_code: totp,
  recovery_code: recovery,
}: SecondFactorFields): SecondFactorProof | undefined {
  if (typeof totp === 'string' && typeof recovery === 'string')
    throw invalidField(['body', 'recovery_code'], 'expected totp_code or recovery_code, not both');
  if (typeof totp === 'string') return { method: 'totp', code: totp };
  return typeof recovery === 'string' ? { method: 'recovery_code', code: recovery } : undefined;
}

/** The same, or a 422. */
export function requireProof(fields: SecondFactorFields): SecondFactorProof {
  const proof = toProof(fields);
  if (!proof) throw invalidField(['body', 'totp_code'], 'Required: totp_code or recovery_code');
  return proof;
}
