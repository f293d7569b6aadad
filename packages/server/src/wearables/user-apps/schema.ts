import { z } from 'zod';

export const SessionTokensView = z
  .object({
    access_token: z.string().describe('For `Authorization: Bearer`.'),
    refresh_token: z.string().describe('Can be used once.'),
    expires_in: z.int().describe('Seconds until the access token expires.'),
  })
  .meta({ id: 'UserAppTokens' });

export const SessionRefusalView = z
  .object({
    detail: z.object({
      error_type: z
        .enum(['invalid_token', 'reauthentication_required', 'invalid_request'])
        .describe('`reauthentication_required`: the app needs a new sign-in token.'),
      error_message: z.string(),
    }),
  })
  .meta({ id: 'UserAppTokenRefusal' });
