import { DAY, HOUR, MINUTE } from '../../platform/clock.ts';
import type { IssuedTokenKind } from './table.ts';

interface TokenKind {
  readonly lifetimeMs: number;
  /** Whether it expires on the clock of the environment, which a sandbox can move, or in system time. */
  readonly clock: 'environment' | 'system';
}

/** The tokens that a key issues and that work without it; `docs/reference/keys-and-logs.md` describes all credentials. */
export const TOKEN_KINDS: Readonly<Record<IssuedTokenKind, TokenKind>> = {
  access: { lifetimeMs: 10 * MINUTE, clock: 'environment' },
  // Users' phones must not be affected by a moved sandbox clock.
  sign_in: { lifetimeMs: DAY, clock: 'system' },
  portal: { lifetimeMs: HOUR, clock: 'system' },
  link: { lifetimeMs: HOUR, clock: 'environment' },
  booking: { lifetimeMs: 14 * DAY, clock: 'system' },
  results: { lifetimeMs: 7 * DAY, clock: 'system' },
};

export const ISSUED_TOKEN_KINDS = [
  'access',
  'sign_in',
  'portal',
  'link',
  'booking',
  'results',
] as const satisfies readonly IssuedTokenKind[];
