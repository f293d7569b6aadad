import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { address } from './config-address.ts';
import { codingKeys, missingWithExtractor } from './config-coding.ts';
import { firstStartKeys, wrongWithRegion } from './config-first-start.ts';
import { outsideKeys } from './config-outside.ts';
import { missingWithS3, reportKeys } from './config-reports.ts';
import { wearableKeys } from './config-wearables.ts';

const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');

const DATABASE_EXPECTED = 'expected postgres://user:password@host:port/database';

/** `name; street; city; state; zip; phone`, all on one line. */
const ADDRESS_LINE = /^[^;]+(;[^;]+){5}$/;
const ADDRESS_EXPECTED = 'expected "name; street; city; state; zip; phone"';

const schedulerUrl = (who: string) =>
  address(/^https?:\/\/[^?#]+\/$/, 'expected an address that ends with a slash')
    .optional()
    .describe(
      `Scheduler of ${who} in production: where it answers the protocol of docs/scheduling.md. A sandbox always has the simulated one.`,
    );
const schedulerToken = (url: string) =>
  z
    .string()
    .regex(/^[\w.~+/-]{16,}=*$/, 'expected a bearer token of at least 16 characters')
    .optional()
    .describe(`The bearer token for that scheduler. Needed with ${url}.`);

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
  DATABASE_URL: address(/^postgres(ql)?:\/\//, DATABASE_EXPECTED)
    .optional()
    .describe('PostgreSQL 15 or newer. Without it an embedded PostgreSQL 18 runs in DATA_DIR.'),
  DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(10).describe('Connections of this process.'),
  BRAND: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,30}$/, 'expected lower-case letters and digits')
    .default('service')
    .describe('The brand part of header names: x-<BRAND>-api-key.'),
  ...firstStartKeys,
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
  EASYPOST_URL: address(/^https?:\/\/.+\/$/, 'expected an address that ends with a slash')
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
  SMTP_URL: address(/^smtps?:\/\/.+/, 'expected smtp://user:password@host:port or smtps://...')
    .optional()
    .describe(
      'The server that sends e-mail: `smtps://` for TLS from the first byte, `smtp://` goes over to TLS where the server offers it (`?requireTLS=true` insists on it). Without SMTP_URL e-mail is logged by its id and not sent.',
    ),
  MAIL_FROM: z
    .string()
    .regex(
      /^(?:[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/,
      'expected "Name <address>" or an address',
    )
    .optional()
    .describe('From whom e-mail comes: `Name <address>` or an address. Needed with SMTP_URL.'),
  ...outsideKeys,
  SCHEDULING_QUEST_URL: schedulerUrl('the Quest patient service centers'),
  SCHEDULING_QUEST_TOKEN: schedulerToken('SCHEDULING_QUEST_URL'),
  SCHEDULING_SONORA_QUEST_URL: schedulerUrl('the Sonora Quest patient service centers'),
  SCHEDULING_SONORA_QUEST_TOKEN: schedulerToken('SCHEDULING_SONORA_QUEST_URL'),
  SCHEDULING_GETLABS_URL: schedulerUrl('the phlebotomists of Getlabs'),
  SCHEDULING_GETLABS_TOKEN: schedulerToken('SCHEDULING_GETLABS_URL'),
  SCHEDULING_PHLEBFINDERS_URL: schedulerUrl('the phlebotomists of Phlebfinders'),
  SCHEDULING_PHLEBFINDERS_TOKEN: schedulerToken('SCHEDULING_PHLEBFINDERS_URL'),
  LAB_MLLP_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .optional()
    .describe(
      'Port on which workers listen for HL7 v2 of laboratories (MLLP); none without it, 0 takes any.',
    ),
  LAB_MLLP_HOST: z.string().min(1).optional().describe('Address of that listener. Default: HOST.'),
  LAB_MLLP_TLS_CERT: z.string().min(1).optional().describe('File of its certificate in PEM; TLS with it.'),
  LAB_MLLP_TLS_KEY: z.string().min(1).optional().describe('File of the key of that certificate.'),
  LAB_MLLP_TLS_CA: z
    .string()
    .min(1)
    .optional()
    .describe('File of the authorities that client certificates must come from; they are asked for with it.'),
  LAB_MLLP_IDLE_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(86_400)
    .default(600)
    .describe('After so many seconds of silence a laboratory is hung up on.'),
  LAB_MLLP_CONNECTIONS: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(100)
    .describe('Connections of laboratories at once.'),
  LAB_MESSAGE_LIMIT_BYTES: z.coerce
    .number()
    .int()
    .min(1024)
    .max(50 * 1024 * 1024)
    .default(5 * 1024 * 1024)
    .describe('The largest message of a laboratory, by whichever way.'),
  LAB_FOLDERS: z
    .string()
    .min(1)
    .optional()
    .describe('Folder with a folder for each connection that exchanges files; none without it.'),
  LAB_ALLOW_PRIVATE_HOSTS: flag
    .optional()
    .describe(
      'Whether orders may go to laboratories at private addresses, as behind a VPN. Default: true in sandbox, false in production.',
    ),
  ...codingKeys,
  ...reportKeys,
  ...wearableKeys,
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

/** What a courier, a mail server and a scheduler cannot do without. */
function missingWith(config: Config): string[] {
  const mail = config.SMTP_URL !== undefined && config.MAIL_FROM === undefined;
  return [
    ...(mail ? ['MAIL_FROM: expected, because SMTP_URL is set'] : []),
    ...wrongWithRegion(config),
    ...missingWithCourier(config),
    ...missingWithSchedulers(config),
    ...missingWithTls(config),
    ...missingWithExtractor(config),
    ...missingWithS3(config),
  ];
}

function missingWithCourier(config: Config): string[] {
  if (config.COURIER !== 'easypost') return [];
  const needed = ['EASYPOST_API_KEY', 'EASYPOST_WEBHOOK_SECRET', 'KIT_SENDER'] as const;
  return needed
    .filter((name) => config[name] === undefined)
    .map((name) => `${name}: expected, because COURIER is easypost`);
}

function missingWithTls({ LAB_MLLP_TLS_CERT: cert, LAB_MLLP_TLS_KEY: key, LAB_MLLP_TLS_CA: ca }: Config) {
  const isHalf = (cert === undefined) !== (key === undefined) || (ca !== undefined && cert === undefined);
  return isHalf
    ? ['LAB_MLLP_TLS_CERT, LAB_MLLP_TLS_KEY: expected together, and both with LAB_MLLP_TLS_CA']
    : [];
}

function missingWithSchedulers(config: Config): string[] {
  const names = ['QUEST', 'SONORA_QUEST', 'GETLABS', 'PHLEBFINDERS'] as const;
  return names
    .map((name) => [`SCHEDULING_${name}_URL`, `SCHEDULING_${name}_TOKEN`] as const)
    .filter(([url, token]) => config[url] !== undefined && config[token] === undefined)
    .map(([url, token]) => `${token}: expected, because ${url} is set`);
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
