import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { SessionView } from './session-schema.ts';
import type { MemberFactors } from '../factors/factors.ts';

export const FactorsView = z
  .object({
    totp: z
      .object({ confirmed_at: Timestamp.describe('When the authenticator app was confirmed.') })
      .nullable()
      .describe('The authenticator app; null without one.'),
    passkeys: z.number().int().describe('The number of passkeys.'),
    recovery_codes_left: z.number().int().describe('The number of recovery codes that were not used.'),
  })
  .meta({ id: 'MemberSecondFactor' });

export const toFactorsView = (factors: MemberFactors): z.input<typeof FactorsView> => ({
  totp: factors.totpSince ? { confirmed_at: isoTimestamp(factors.totpSince) } : null,
  passkeys: factors.passkeys,
  recovery_codes_left: factors.recoveryCodesLeft,
});

export const EnrolledFactorView = z
  .object({
    recovery_codes: z
      .array(z.string())
      .nullable()
      .describe('Ten recovery codes, shown once; null for a member who has some already.'),
    session: SessionView.nullable().describe('The session of a sign-in that this completes; else null.'),
  })
  .meta({ id: 'EnrolledFactor' });
