import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { REGIONS } from './tenant.ts';

const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');
const key = (prefixes: RegExp, example: string) =>
  z.string().regex(prefixes, `expected a key like ${example} with at least 16 characters after the prefix`);

/** What may be set, with its default. docs/configuration.md is generated from this table. */
export const ConfigSchema = z.object({
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on.'),
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .default(3000)
    .describe('Port to listen on; 0 takes any free one.'),
  DATA_DIR: z
    .string()
    .min(1)
    .default('.data')
    .describe('Folder of the embedded database, credentials and files.'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'expected postgres://user:password@host:port/database')
    .optional()
    .describe('PostgreSQL 15 or newer. Without it an embedded PostgreSQL 18 runs in DATA_DIR.'),
  DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(10).describe('Connections of this process.'),
  BRAND: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,30}$/, 'expected lower-case letters and digits')
    .default('service')
    .describe('The brand part of header names: x-<BRAND>-api-key.'),
  REGION: z
    .enum(REGIONS)
    .default('us')
    .describe('Region that this deployment serves; it is part of key prefixes.'),
  BOOTSTRAP_TEAM_API_KEY: key(/^sk_(us|eu)_\w{16,}$/, 'sk_us_...')
    .optional()
    .describe('Sandbox key of the first team, used instead of a random one on first start.'),
  BOOTSTRAP_MANAGEMENT_KEY: key(/^mg_\w{16,}$/, 'mg_...')
    .optional()
    .describe('First organization management key, used instead of a random one on first start.'),
  ENCRYPTION_KEY: z
    .string()
    .regex(/^[A-Za-z0-9+/_-]{43}=?$/, 'expected 32 bytes in base64')
    .optional()
    .describe('Wraps the data key of every tenant: 32 bytes in base64. Without it one is made in DATA_DIR.'),
  PREVIOUS_ENCRYPTION_KEY: z
    .string()
    .regex(/^[A-Za-z0-9+/_-]{43}=?$/, 'expected 32 bytes in base64')
    .optional()
    .describe('The key before ENCRYPTION_KEY, read by `aliquot keys rewrap` only.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Log level.'),
  ALLOW_PRIVATE_WEBHOOK_TARGETS: flag
    .optional()
    .describe('Whether webhooks may go to private addresses. Default: true in sandbox, false in production.'),
  ROLE: z.enum(['all', 'api', 'worker']).default('all').describe('What this process does.'),
});

export type Config = z.output<typeof ConfigSchema>;

/** All mistakes of the environment at once, each with its name and what was expected. */
export class ConfigError extends Error {
  constructor(mistakes: string[]) {
    super(
      `The configuration has ${mistakes.length} mistake(s):\n${mistakes.map((line) => `  ${line}`).join('\n')}`,
    );
    this.name = 'ConfigError';
  }
}

/** Reads the configuration. An empty variable counts as not set, as shells and compose files write it. */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = ConfigSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
}

/** The folder that holds package.json, migrations and data; the same for the sources and for the bundle in dist. */
export function packageRoot(from: string): URL {
  let folder = new URL('.', from);
  for (;;) {
    try {
      const text = readFileSync(fileURLToPath(new URL('package.json', folder)), 'utf8');
      if (text.includes('"name": "aliquot"')) return folder;
    } catch {
      // not here: one folder up
    }
    const parent = new URL('..', folder);
    if (parent.href === folder.href) throw new Error(`No package.json of aliquot above ${from}`);
    folder = parent;
  }
}
