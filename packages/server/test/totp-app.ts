import { TOTP, URI } from 'otpauth';
import type { TestBrowser } from './browser.ts';
import type { TestService } from './service.ts';

/** An authenticator app that read the QR code of an enrollment. */
interface TotpApp {
  /** The code at this time of the service; `steps` times 30 seconds later. */
  code(steps?: number): string;
}

export function openTotpApp(service: TestService, otpauthUri: string): TotpApp {
  const totp = URI.parse(otpauthUri);
  if (!(totp instanceof TOTP)) throw new Error(`Not a URI of time-based codes: ${otpauthUri}`);
  return {
    code: (steps = 0) => totp.generate({ timestamp: service.clock.now().getTime() + steps * 30_000 }),
  };
}

/** Enrolls an app in a browser that may do so; returns it with the recovery codes. */
export async function enrollTotpApp(
  service: TestService,
  browser: TestBrowser,
): Promise<{ app: TotpApp; recoveryCodes: string[] }> {
  const begun = await browser.post('/v1/account/totp');
  if (begun.status !== 200) throw new Error(`No enrollment: ${begun.text}`);
  const app = openTotpApp(service, begun.json.otpauth_uri);
  const confirmed = await browser.post('/v1/account/totp/confirm', { totp_code: app.code() });
  if (confirmed.status !== 200) throw new Error(`No factor: ${confirmed.text}`);
  return { app, recoveryCodes: confirmed.json.recovery_codes };
}
