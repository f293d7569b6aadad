import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import { targetScopeOf } from '../../platform/public-address.ts';
import { createOpenIdProviders } from './openid-connect.ts';
import type { IdentityProviders } from './port.ts';

/** Without a setting, a provider on the same machine is allowed while the service is reachable from there only. */
export const createIdentityProviders = (config: Config, clock: Clock): IdentityProviders =>
  createOpenIdProviders({
    clock,
    scope: targetScopeOf(config, 'sandbox', config.ALLOW_PRIVATE_IDENTITY_PROVIDERS),
  });
