import { z } from 'zod';
import { Timestamp } from '../../platform/timestamp.ts';
import { LINK_ERRORS } from '../connections/connect.ts';
import { ProviderName } from '../connections/schema.ts';
import { CredentialText, LinkRegion, providerLinkFields } from './schema.ts';

const LinkTokenText = z.string().min(1).max(2000);

export const TokenValidityBody = z
  .object({ token: LinkTokenText.describe('The link token.') })
  .meta({ id: 'LinkTokenValidationRequest' });
export const TokenValidityView = z
  .object({
    is_valid: z.boolean(),
    error_type: z.enum(LINK_ERRORS).nullable().describe('Why it is not valid.'),
    error: z.string().nullable(),
  })
  .meta({ id: 'LinkTokenValidity' });

export const LinkStateView = z
  .object({
    state: z.literal('pending').describe('A token that was used or has expired is refused with 401.'),
    user_id: z.guid(),
    provider: z.string().nullable().describe('The only provider that can be connected; null for any.'),
    filter_on_providers: z.array(z.string()).nullable(),
    redirect_url: z.string().nullable(),
    expires_at: Timestamp,
  })
  .meta({ id: 'LinkTokenState' });

export const LinkConfigView = z
  .object({
    team_name: z.string().describe('The name that users see; empty if the team has chosen none.'),
    color: z.string().describe('`#rrggbb`.'),
    website: z.string().nullable(),
    logo_url: z.string().nullable(),
  })
  .meta({ id: 'LinkConfig' });

export const StartLinkBody = z
  .object({
    link_token: LinkTokenText.describe('The link token.'),
    provider: ProviderName.describe('The OAuth provider to connect.'),
  })
  .meta({ id: 'BeginLinkTokenRequest' });

const authFields = {
  provider: ProviderName.describe('The provider to connect.'),
  auth_type: z.string().max(50).describe('Ignored: the provider decides how users sign in.'),
};
export const PasswordAuthBody = z
  .object({
    username: CredentialText.describe('The user name at the provider.'),
    password: CredentialText.describe('The password at the provider.'),
    ...authFields,
  })
  .meta({ id: 'PasswordAuthLink' });
export const EmailAuthBody = z
  .object({
    email: z.string().min(3).max(254).describe('The e-mail address with which the user shares data.'),
    ...authFields,
    region: LinkRegion.nullish().describe('The region of the account at the provider.'),
  })
  .meta({ id: 'EmailAuthLink' });

export const UnsupportedLink = z
  .object({ ...providerLinkFields, provider: z.string() })
  .meta({ id: 'UnsupportedProviderLink' });
