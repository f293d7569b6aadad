import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { REGIONS } from './tenant.ts';

const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');
const key = (prefixes: RegExp, example: string) =>
  z.string().regex(prefixes, `expected a key like ${example} with at least 16 characters after the prefix`);

/** `name; street; city; state; zip; phone`, all on one line. */
const ADDRESS_LINE = /^[^;]+(;[^;]+){5}$/;
const ADDRESS_EXPECTED = 'expected "name; street; city; state; zip; phone"';

const Physician = z.object({
  first_name: z.string().min(1).max(50),
  last_name: z.string().min(1).max(50),
  npi: z.string().regex(/^\d{10}$/, 'expected an NPI of 10 digits'),
  licensed_states: z.array(z.string().regex(/^[A-Z]{2}$/, 'expected state codes, as CA')).default([]),
});

function parsedJson(text: string, context: z.core.$RefinementCtx<string>): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'expected JSON', input: text });
    return z.NEVER;
  }
}

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
  PHYSICIANS: z
    .string()
    .transform(parsedJson)
    .pipe(z.array(Physician))
    .default([])
    .describe(
      "The service's own physicians, who order where an account brings none: a JSON list of first_name, last_name, npi and licensed_states (left out: all).",
    ),
  ROLE: z.enum(['all', 'api', 'worker']).default('all').describe('What this process does.'),
  COURIER: z
    .enum(['none', 'easypost'])
    .default('none')
    .describe('Who carries the kits of production. A sandbox always has the simulated courier.'),
  EASYPOST_API_KEY: z
    .string()
    .regex(/^EZ[AT]K\w{8,}$/, 'expected a key like EZAK... (production) or EZTK... (test)')
    .optional()
    .describe('EasyPost: the API key that buys labels. Needed with COURIER=easypost.'),
  EASYPOST_WEBHOOK_SECRET: z
    .string()
    .min(16, 'expected at least 16 characters')
    .optional()
    .describe(
      'EasyPost: the webhook_secret that tracking updates are signed with. Needed with COURIER=easypost.',
    ),
  EASYPOST_URL: z
    .string()
    .regex(/^https?:\/\/.+\/$/, 'expected an address that ends with a slash')
    .default('https://api.easypost.com/v2/')
    .describe('EasyPost: where its API is.'),
  KIT_SENDER: z
    .string()
    .regex(ADDRESS_LINE, ADDRESS_EXPECTED)
    .optional()
    .describe(
      `From where kits are sent: ${ADDRESS_EXPECTED.slice('expected '.length)}. Needed with COURIER=easypost.`,
    ),
  KIT_OUNCES: z.coerce
    .number()
    .int()
    .min(1)
    .max(320)
    .default(8)
    .describe('Weight of a packed kit in ounces, by which labels are rated.'),
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
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  }
  const missing = missingWith(parsed.data);
  if (missing.length > 0) throw new ConfigError(missing);
  return parsed.data;
}

/** What a courier cannot do without. */
function missingWith(config: Config): string[] {
  if (config.COURIER !== 'easypost') return [];
  const needed = ['EASYPOST_API_KEY', 'EASYPOST_WEBHOOK_SECRET', 'KIT_SENDER'] as const;
  return needed
    .filter((name) => config[name] === undefined)
    .map((name) => `${name}: expected, because COURIER is easypost`);
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
