import { z } from 'zod';
import { TimestampInput } from '../../platform/timestamp-input.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { LINK_ERRORS } from '../connections/connect.ts';
import { DEMO_SLUGS } from '../demo/demo-connection.ts';
import { ProviderName } from '../connections/schema.ts';
import { PROVIDERS } from '../../readings/schema.ts';
import { RedirectUrl } from './redirect.ts';

export const CreateLinkTokenBody = z
  .object({
    user_id: z.guid().describe('The id of the user who connects a provider.'),
    provider: ProviderName.nullish().describe('The only provider to offer; by default the user chooses.'),
    redirect_url: RedirectUrl.nullish().describe(
      'Where the user is sent afterwards, with state, provider, error_type and error in the query: https, http of a ' +
        'loopback host, or a scheme in `allowed_redirect_schemes` of the team.',
    ),
    filter_on_providers: z
      .array(ProviderName)
      .min(1)
      .max(PROVIDERS.length)
      .nullish()
      .describe('The providers to offer; all by default.'),
    on_error: z
      .literal('redirect')
      .nullish()
      .describe('Also use redirect_url after an error; by default the hosted page shows the error.'),
    on_close: z
      .literal('redirect')
      .nullish()
      .describe('Offer a way back to redirect_url when the user cancels on the hosted page.'),
  })
  .meta({ id: 'LinkTokenExchange' });

export const LinkTokenView = z
  .object({
    link_token: z.string(),
    link_web_url: z.string(),
    token_id: z.uuid().describe('Extension. Identifies the token where it is listed or revoked.'),
  })
  .meta({ id: 'LinkTokenExchangeResponse' });

export const LinkCodeQuery = z.object({
  user_id: z.guid(),
  expires_at: TimestampInput.nullish().describe('At most 24 hours away; default one hour.'),
});
export const LinkCodeView = z
  .object({ code: z.string(), exchange_url: z.string(), expires_at: Timestamp })
  .meta({ id: 'ServiceTokenCreatedResponse' });

export const ExchangeCodeQuery = z.object({
  code: z.string().max(100).describe('As it was created; small and capital letters are the same.'),
  grant_type: z.literal('sign_in_token').describe('What the code is exchanged for.'),
});
export const ExchangedCodeView = z
  .object({
    user_id: z.guid(),
    sign_in_token: z.string().describe('As of `POST /v2/user/{user_id}/sign_in_token`.'),
    team: z.object({ name: z.string(), logo_url: z.string().nullable() }),
  })
  .meta({ id: 'ExchangedLinkCode' });

// prettier-ignore
const PASSWORD_PROVIDERS = [
  'whoop', 'renpho', 'peloton', 'zwift', 'eight_sleep', 'beurer_api', 'dexcom', 'hammerhead', 'my_fitness_pal',
  'kardia', 'abbott_libreview', 'tandem_source',
] as const;
export const PasswordProvider = z.enum(PASSWORD_PROVIDERS).meta({ id: 'PasswordProviders' });
export const EmailProvider = z.enum(['freestyle_libre']).meta({ id: 'EmailProviders' });

// prettier-ignore
const REGIONS = [
  'us', 'eu', 'de', 'fr', 'ca', 'br', 'ar', 'cl', 'co', 'mx', 'gb', 'ie', 'au', 'nz', 'nl', 'at', 'be', 'bh', 'ch', 'cz',
  'dk', 'eg', 'es', 'fi', 'gr', 'hr', 'il', 'it', 'jo', 'kw', 'lb', 'lu', 'no', 'om', 'pl', 'pt', 'qa', 'sa', 'se', 'si',
  'sk', 'tr', 'za', 'in', 'sg', 'hk', 'kr', 'ph', 'tw',
] as const;
const Region = z.enum(REGIONS).meta({ id: 'Region' });
export const LinkRegion = z
  .enum([...REGIONS, 'jp', 'sandbox'])
  .describe(
    'Extension. The region of the user’s account, for a provider with a host per region (dexcom_v3).',
  );

export const CredentialText = z.string().min(1).max(1000);
export const PasswordBody = z
  .object({
    username: CredentialText.describe('The user name at the provider.'),
    password: CredentialText.describe('The password at the provider.'),
    region: Region.nullish().describe('The region of the account at the provider.'),
  })
  .meta({ id: 'IndividualProviderData' });
export const MfaBody = z
  .object({ mfa_code: CredentialText.describe('The one-time code that the provider sent to the user.') })
  .meta({ id: 'CompletePasswordProviderMFABody' });
export const EmailBody = z
  .object({
    email: z.string().min(3).max(254).describe('The e-mail address with which the user shares data.'),
    provider: ProviderName.nullish()
      .meta({ deprecated: true })
      .describe('Ignored: the path names the provider.'),
    region: Region.optional().describe('The region of the account at the provider.'),
  })
  .meta({ id: 'EmailProviderAuthLink' });

export const providerLinkFields = {
  state: z.enum(['success', 'error', 'pending_provider_mfa']),
  redirect_url: z.string().nullable(),
  error_type: z.enum(LINK_ERRORS).nullable(),
  error: z.string().nullable(),
  provider_mfa: z
    .object({ method: z.enum(['sms', 'email']), hint: z.string() })
    .meta({ id: 'ProviderMFARequest' })
    .nullable(),
  connected: z.boolean().meta({ deprecated: true }),
  provider_id: z.string().nullable().meta({ deprecated: true }),
};
export const ProviderLink = z
  .object({ ...providerLinkFields, provider: PasswordProvider.meta({ deprecated: true }) })
  .meta({ id: 'ProviderLinkResponse' });
export const EmailLink = z.object({
  ...providerLinkFields,
  provider: EmailProvider.meta({ deprecated: true }),
});

export const ConnectDemoBody = z
  .object({
    user_id: z.guid().describe('The id of a sandbox user without real connections.'),
    provider: z.enum(DEMO_SLUGS).meta({ id: 'DemoProviders' }).describe('The provider to simulate.'),
    seed: z
      .string()
      .min(1)
      .max(100)
      .nullish()
      .describe('Extension. The same seed gives the same fictional person. Default: the id of the user.'),
  })
  .meta({ id: 'DemoConnectionCreationPayload' });
export const DemoStatus = z
  .object({ success: z.boolean(), detail: z.string() })
  .meta({ id: 'DemoConnectionStatus' });
