import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { assistantSettings } from './config-assistants.ts';
import { accountSettings } from './config-accounts.ts';
import { reachableUrl } from './config-url.ts';
import { backupSettings } from './config-backup.ts';
import { brandSettings } from './config-brands.ts';
import { codingSettings, findExtractorErrors } from './config-coding.ts';
import { readSettingFiles } from './config-files.ts';
import { flag } from './config-flag.ts';
import { databaseSettings } from './config-database.ts';
import { firstStartSettings, findRegionErrors } from './config-first-start.ts';
import { findTlsErrors, httpSettings } from './config-http.ts';
import { findKeyErrors, keySettings } from './config-keys.ts';
import { externalSettings } from './config-external.ts';
import { findLaboratoryErrors, laboratorySettings } from './config-laboratories.ts';
import { findS3Errors, reportSettings } from './config-reports.ts';
import { retentionSettings } from './config-retention.ts';
import { signalSettings } from './config-signals.ts';
import { wearableSettings } from './config-wearables.ts';

/** `name; street; city; state; zip; phone` on one line. */
const POSTAL_ADDRESS = /^[^;]+(;[^;]+){5}$/;
const POSTAL_ADDRESS_EXPECTED = 'expected "name; street; city; state; zip; phone"';

const schedulerUrl = (who: string) =>
  reachableUrl(/^https?:\/\/[^?#]+\/$/, 'expected a URL that ends with a slash')
    .optional()
    .describe(
      `Production scheduler of ${who}: base URL of a server that implements docs/reference/scheduling-protocol.md. Sandboxes always use the simulated scheduler.`,
    );
const schedulerToken = (url: string) =>
  z
    .string()
    .regex(/^[\w.~+/-]{16,}=*$/, 'expected a bearer token of at least 16 characters')
    .optional()
    .describe(`Bearer token for that scheduler. Required with ${url}.`);

const Physician = z.object({
  first_name: z.string().min(1).max(50),
  last_name: z.string().min(1).max(50),
  npi: z.string().regex(/^\d{10}$/, 'expected an NPI of 10 digits'),
  licensed_states: z.array(z.string().regex(/^[A-Z]{2}$/, 'expected state codes such as CA')).default([]),
});

function parseJsonSetting(text: string, context: z.core.$RefinementCtx<string>): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'expected JSON', input: text });
    return z.NEVER;
  }
}

/** All settings with their defaults. docs/reference/configuration.md is generated from this table. */
export const ConfigSchema = z.object({
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on.'),
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .default(3000)
    .describe('Port to listen on; 0 picks a free port.'),
  DATA_DIR: z
    .string()
    .min(1)
    .default('.data')
    .describe('Folder for the embedded database, credentials and files.'),
  ...httpSettings,
  ...databaseSettings,
  ...brandSettings,
  ...firstStartSettings,
  ...keySettings,
  ...retentionSettings,
  ...assistantSettings,
  ...backupSettings,
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Log level.'),
  ...signalSettings,
  ALLOW_PRIVATE_WEBHOOK_TARGETS: flag
    .optional()
    .describe(
      'Whether webhooks and brokers may be at private addresses. Default: false; a sandbox may send to loopback addresses while HOST is one. Link-local and cloud metadata addresses are never allowed.',
    ),
  ALLOW_PRIVATE_IDENTITY_PROVIDERS: flag
    .optional()
    .describe(
      'Whether identity providers for single sign-on may be at private addresses. Default: false; a provider at a loopback address is allowed while HOST is one. Link-local and cloud metadata addresses are never allowed.',
    ),
  PHYSICIANS: z
    .string()
    .transform(parseJsonSetting)
    .pipe(z.array(Physician))
    .default([])
    .describe(
      'Physicians of the service, who order when a lab account has none: a JSON array of objects with first_name, last_name, npi and licensed_states (default: all states). Without any, sandboxes have two fictional ones.',
    ),
  ROLE: z
    .enum(['all', 'api', 'worker'])
    .default('all')
    .describe('What this process runs: the API, the workers, or both.'),
  COURIER: z
    .enum(['none', 'easypost'])
    .default('none')
    .describe('Courier for test kits in production. Sandboxes always use the simulated courier.'),
  EASYPOST_API_KEY: z
    .string()
    .regex(/^EZ[AT]K\w{8,}$/, 'expected a key like EZAK... (production) or EZTK... (test)')
    .optional()
    .describe('EasyPost: API key that buys labels. Required with COURIER=easypost.'),
  EASYPOST_WEBHOOK_SECRET: z
    .string()
    .min(16, 'expected at least 16 characters')
    .optional()
    .describe('EasyPost: webhook_secret that signs tracking updates. Required with COURIER=easypost.'),
  EASYPOST_URL: reachableUrl(/^https?:\/\/.+\/$/, 'expected a URL that ends with a slash')
    .default('https://api.easypost.com/v2/')
    .describe('EasyPost: base URL of its API.'),
  KIT_SENDER: z
    .string()
    .regex(POSTAL_ADDRESS, POSTAL_ADDRESS_EXPECTED)
    .optional()
    .describe(
      `Sender address of kits: ${POSTAL_ADDRESS_EXPECTED.slice('expected '.length)}. Required with COURIER=easypost.`,
    ),
  KIT_OUNCES: z.coerce
    .number()
    .int()
    .min(1)
    .max(320)
    .default(8)
    .describe('Weight of a packed kit in ounces, used to rate labels.'),
  SMTP_URL: reachableUrl(/^smtps?:\/\/.+/, 'expected smtp://user:password@host:port or smtps://...')
    .optional()
    .describe(
      'Mail server: `smtps://` for implicit TLS, `smtp://` for STARTTLS when offered (`?requireTLS=true` requires it). Without it, e-mail is not sent, only logged by id.',
    ),
  MAIL_FROM: z
    .string()
    .regex(
      /^(?:[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/,
      'expected "Name <address>" or an address',
    )
    .optional()
    .describe('Sender of e-mail: `Name <address>` or an address. Required with SMTP_URL.'),
  ...externalSettings,
  SCHEDULING_QUEST_URL: schedulerUrl('the Quest patient service centers'),
  SCHEDULING_QUEST_TOKEN: schedulerToken('SCHEDULING_QUEST_URL'),
  SCHEDULING_SONORA_QUEST_URL: schedulerUrl('the Sonora Quest patient service centers'),
  SCHEDULING_SONORA_QUEST_TOKEN: schedulerToken('SCHEDULING_SONORA_QUEST_URL'),
  SCHEDULING_GETLABS_URL: schedulerUrl('the phlebotomists of Getlabs'),
  SCHEDULING_GETLABS_TOKEN: schedulerToken('SCHEDULING_GETLABS_URL'),
  SCHEDULING_PHLEBFINDERS_URL: schedulerUrl('the phlebotomists of Phlebfinders'),
  SCHEDULING_PHLEBFINDERS_TOKEN: schedulerToken('SCHEDULING_PHLEBFINDERS_URL'),
  ...laboratorySettings,
  ...codingSettings,
  ...reportSettings,
  ...wearableSettings,
  ...accountSettings,
});

export type Config = z.output<typeof ConfigSchema>;

/** All configuration errors at once, each with the variable and what was expected. */
export class ConfigError extends Error {
  constructor(mistakes: string[]) {
    super(
      `The configuration has ${mistakes.length} mistake(s):\n${mistakes.map((line) => `  ${line}`).join('\n')}`,
    );
    this.name = 'ConfigError';
  }
}

/** Reads the configuration. An empty variable counts as unset, because shells and compose files set variables empty. */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const { settings, mistakes } = readSettingFiles(given, Object.keys(ConfigSchema.shape));
  const parsed = ConfigSchema.safeParse(settings);
  const wrong = parsed.error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? [];
  if (!parsed.success || mistakes.length > 0) throw new ConfigError([...mistakes, ...wrong]);
  const missing = findCombinationErrors(parsed.data);
  if (missing.length > 0) throw new ConfigError(missing);
  return parsed.data;
}

/** Errors in the combination of settings. */
function findCombinationErrors(config: Config): string[] {
  const mail = config.SMTP_URL !== undefined && config.MAIL_FROM === undefined;
  return [
    ...(mail ? ['MAIL_FROM: expected, because SMTP_URL is set'] : []),
    ...findTlsErrors(config),
    ...findRegionErrors(config),
    ...findCourierErrors(config),
    ...findSchedulerErrors(config),
    ...findLaboratoryErrors(config),
    ...findExtractorErrors(config),
    ...findS3Errors(config),
    ...findKeyErrors(config),
  ];
}

function findCourierErrors(config: Config): string[] {
  if (config.COURIER !== 'easypost') return [];
  const needed = ['EASYPOST_API_KEY', 'EASYPOST_WEBHOOK_SECRET', 'KIT_SENDER'] as const;
  return needed
    .filter((name) => config[name] === undefined)
    .map((name) => `${name}: expected, because COURIER is easypost`);
}

function findSchedulerErrors(config: Config): string[] {
  const names = ['QUEST', 'SONORA_QUEST', 'GETLABS', 'PHLEBFINDERS'] as const;
  return names
    .map((name) => [`SCHEDULING_${name}_URL`, `SCHEDULING_${name}_TOKEN`] as const)
    .filter(([url, token]) => config[url] !== undefined && config[token] === undefined)
    .map(([url, token]) => `${token}: expected, because ${url} is set`);
}

/** The folder that contains package.json, migrations and data. Works for the sources and for the bundle in dist. */
export function packageRoot(from: string): URL {
  let folder = new URL('.', from);
  for (;;) {
    try {
      const text = readFileSync(fileURLToPath(new URL('package.json', folder)), 'utf8');
      if (text.includes('"name": "aliquot"')) return folder;
    } catch {
      // Not here: try the parent folder.
    }
    const parent = new URL('..', folder);
    if (parent.href === folder.href) throw new Error(`No package.json of aliquot above ${from}`);
    folder = parent;
  }
}
