import { z } from 'zod';

const Application = z
  .strictObject({
    client_id: z.string().min(1).max(500).optional(),
    client_secret: z.string().min(1).max(2000).optional(),
    origin: z
      .string()
      .regex(/^https?:\/\/[^\s/?#@]+$/, 'expected an address without path, as https://api.example.com')
      .optional(),
  })
  .refine((given) => (given.client_id === undefined) === (given.client_secret === undefined), {
    message: 'expected client_id and client_secret together',
  });

function parsedJson(text: string, context: z.core.$RefinementCtx<string>): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'expected JSON', input: text });
    return z.NEVER;
  }
}

/** The providers of wearables that users grant access to. */
export const wearableKeys = {
  WEARABLE_PROVIDERS: z
    .string()
    .transform(parsedJson)
    .pipe(z.record(z.string(), Application))
    .default({})
    .describe(
      'The applications of this deployment at providers of wearables, for teams that have none of their own: JSON by the ' +
        'slug of the provider with client_id and client_secret, and with origin where another place is to be asked ' +
        'than the provider’s own.',
    ),
};
