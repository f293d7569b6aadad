import { Secret, TOTP } from 'otpauth';

/** What every authenticator app knows: six digits of SHA-1, a new code every 30 seconds. */
const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 };
const SECRET_BYTES = 20;
/** A code is accepted 30 seconds early and late, because clocks of telephones differ. */
const WINDOW_STEPS = 1;
const STEP_MS = 30_000;

/** A new secret, in base32. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** The URI that an authenticator app reads from a QR code. */
export const toTotpUri = (secret: string, { issuer, label }: { issuer: string; label: string }): string =>
  new TOTP({ ...PARAMETERS, secret, issuer, label }).toString();

/** The time step that a code belongs to; undefined for a wrong code, or one of another time. */
export function findTotpStep(secret: string, code: string, now: Date): number | undefined {
  const delta = new TOTP({ ...PARAMETERS, secret }).validate({
    token: code,
    timestamp: now.getTime(),
    window: WINDOW_STEPS,
  });
  return delta === null ? undefined : Math.floor(now.getTime() / STEP_MS) + delta;
}
