import { z } from 'zod';

/** The keys of `aliquot mcp`; the service itself does not read them. */
export const assistantSettings = {
  ASSISTANT_API_KEY: z
    .string()
    .regex(/^[sp]k_(us|eu)_\w{16,}$/, 'expected a team key like sk_us_... or pk_us_...')
    .optional()
    .describe(
      '`aliquot mcp` only: the team key with which an assistant calls. Default: the sandbox key in credentials.json of DATA_DIR, without `--url`.',
    ),
  ASSISTANT_MANAGEMENT_KEY: z
    .string()
    .regex(/^mg_\w{16,}$/, 'expected a key like mg_...')
    .optional()
    .describe(
      '`aliquot mcp` only: a management key, for the tools that move the sandbox clock and resend one webhook. Not used in production. Default: that in credentials.json, with the key from there.',
    ),
};
