import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { emailChangeRoutes } from './email-change-routes.ts';
import { linkRoutes } from './link-routes.ts';
import { passwordRoutes } from './password-routes.ts';
import { passwordResetRoutes } from './password-reset-routes.ts';
import { memberFactorRoutes } from './member-factor-routes.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import { passkeySignInRoutes } from './passkey-sign-in-routes.ts';
import { profileRoutes } from './profile-routes.ts';
import { recoveryCodeRoutes } from './recovery-code-routes.ts';
import { secondFactorRoutes } from './second-factor-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { signInPolicyRoutes } from './sign-in-policy-routes.ts';
import { totpRoutes } from './totp-routes.ts';

/** How members of organizations sign in, and what they do with their own accounts. */
export function accountRoutes(http: Http, app: App): void {
  sessionRoutes(http, app);
  profileRoutes(http, app);
  emailChangeRoutes(http, app);
  passwordRoutes(http, app);
  linkRoutes(http, app);
  passwordResetRoutes(http, app);
  secondFactorRoutes(http, app);
  totpRoutes(http, app);
  passkeySignInRoutes(http, app);
  passkeyRoutes(http, app);
  recoveryCodeRoutes(http, app);
  memberFactorRoutes(http, app);
  signInPolicyRoutes(http, app);
}
