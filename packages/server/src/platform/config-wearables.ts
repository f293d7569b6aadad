import { z } from 'zod';

const ApplicationCredentials = z
  .strictObject({
    client_id: z.string().min(1).max(500).optional(),
    client_secret: z.string().min(1).max(2000).optional(),
    origin: z
      .string()
      .regex(/^https?:\/\/[^\s/?#@]+$/, 'expected a URL without a path, such as https://api.example.com')
      .optional(),
    region: z.string().min(1).max(20).optional(),
  })
  .refine((given) => (given.client_id === undefined) === (given.client_secret === undefined), {
    message: 'expected client_id and client_secret together',
  });

function parseJsonSetting(text: string, context: z.core.$RefinementCtx<string>): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'expected JSON', input: text });
    return z.NEVER;
  }
}

/** Settings for wearable providers. */
export const wearableSettings = {
  WEARABLE_PROVIDERS: z
    .string()
    .transform(parseJsonSetting)
    .pipe(z.record(z.string(), ApplicationCredentials))
    .default({})
    .describe(
      'OAuth applications of this deployment at wearable providers, for teams that have none of their own: a JSON object ' +
        'keyed by provider slug, each with client_id and client_secret, and optionally origin to use another base URL ' +
        'than the provider’s, and region for a provider with a host per region: us, eu, jp or sandbox of dexcom_v3.',
    ),
};
