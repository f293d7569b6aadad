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
  // Unless its creator chose another time.
  link_code: { lifetimeMs: HOUR, clock: 'environment' },
  link: { lifetimeMs: HOUR, clock: 'environment' },
  booking: { lifetimeMs: 14 * DAY, clock: 'system' },
  results: { lifetimeMs: 7 * DAY, clock: 'system' },
  app_access: { lifetimeMs: HOUR, clock: 'system' },
  // An app that nobody opened for longer asks its backend for a new sign-in token.
  app_refresh: { lifetimeMs: 90 * DAY, clock: 'system' },
};

export const ISSUED_TOKEN_KINDS = [
  'access',
  'sign_in',
  'portal',
  'link',
  'link_code',
  'booking',
  'results',
  'app_access',
  'app_refresh',
] as const satisfies readonly IssuedTokenKind[];
