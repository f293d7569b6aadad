import { InvalidArgumentError, Option, type Command } from 'commander';
import { z } from 'zod';
import type { Config } from '../platform/config.ts';
import type { Environment } from '../platform/tenant.ts';
import type { BootOptions } from '../service.ts';
import { openRemote, addRemoteFlags, type Remote, type RemoteFlags } from './remote.ts';
import { rotateEncryptionCommand } from './rotate-encryption.ts';
import { stripControlCharacters, formatTable } from './terminal/terminal.ts';

/** Manages the API keys of a team by the Management API, and the encryption key directly on the database. */
export function keysCommand(program: Command, ground: (level?: string) => BootOptions): void {
  const keys = program
    .command('keys')
    .description('Manage the API keys of a team, and rotate encryption keys');

  addRemoteFlags(keys.command('list'))
    .description('List the team’s active keys, without their secret part')
    .action(async (flags: RemoteFlags) => listKeys(ground().config, flags));

  addRemoteFlags(keys.command('create'))
    .description('Create a key; it is shown only once')
    .addOption(new Option('--label <text>', 'what the key is for').makeOptionMandatory())
    .option('--expires-at <moment>', 'expiry, such as 2027-01-31T00:00:00Z; default: never')
    .option('--read-only', 'allow only GET requests', false)
    .option('--area <area...>', 'restrict it to areas of the API, such as users or results; default: all')
    .option('--assistants', 'let assistants read production with it; needs --read-only', false)
    .action(async (flags: RemoteFlags & CreateKeyFlags) => createKey(ground().config, flags));

  addRemoteFlags(keys.command('rotate'))
    .description('Replace a key, which stays valid for a while; the new one is shown only once')
    .argument('<id>', 'an id, as shown by `keys list`')
    .option('--overlap-hours <hours>', 'how long the old key stays valid', parseHours, 24)
    .option('--expires-at <moment>', 'expiry of the new key; required if the old one expires')
    .action(async (id: string, flags: RemoteFlags & RotateKeyFlags) => rotateKey(ground().config, flags, id));

  addRemoteFlags(keys.command('revoke'))
    .description('Revoke keys permanently; every node refuses them within seconds')
    .argument('<id...>', 'ids, as shown by `keys list`')
    .action(async (ids: string[], flags: RemoteFlags) => revokeKeys(ground().config, flags, ids));

  rotateEncryptionCommand(keys, ground);

  keys
    .command('rewrap')
    .description('Re-wrap all data keys after a change of ENCRYPTION_KEY or of the key provider')
    .addHelpText('after', REWRAP_HELP)
    // The only one of these commands that needs the database, and so the service code.
    .action(async () => (await import('./rewrap.ts')).rewrap(ground('warn')));
}

interface CreateKeyFlags {
  readonly label: string;
  readonly expiresAt?: string;
  readonly readOnly: boolean;
  readonly area?: string[];
  readonly assistants: boolean;
}

interface RotateKeyFlags {
  readonly overlapHours: number;
  readonly expiresAt?: string;
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (text.trim() !== '' && Number.isInteger(hours) && hours >= 0) return hours;
  throw new InvalidArgumentError('expected a whole number of hours');
}

const Key = z.object({
  id: z.string(),
  label: z.string(),
  value: z.string(),
  team_id: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
  expires_at: z.string().nullable(),
  read_only: z.boolean(),
  areas: z.array(z.string()).nullable(),
  /** Undefined from a service of an earlier version. */
  assistants: z.boolean().optional(),
});
const KeyPage = z.object({ api_keys: z.array(Key), next_cursor: z.string().nullish() });

const pathOf = (remote: Remote, config: Config, environment: Environment): string =>
  `/v1/org/${remote.orgId}/team_api_keys/${environment}/${config.REGION}`;

const environmentsOf = ({ environment }: Remote): readonly Environment[] =>
  environment === undefined ? ['sandbox', 'production'] : [environment];

async function listKeys(config: Config, flags: RemoteFlags): Promise<void> {
  const remote = await openRemote(config, flags);
  const rows: string[][] = [];
  for (const environment of environmentsOf(remote)) {
    for await (const key of keysOf(remote, pathOf(remote, config, environment))) {
      rows.push([key.id, key.label, environment, key.value, ...datesOf(key), permissionsOf(key)]);
    }
  }
  const none = `Team ${remote.teamId} has no keys${flags.environment ? ` in ${flags.environment}` : ''}.\n`;
  const heads = ['ID', 'LABEL', 'ENVIRONMENT', 'KEY', 'CREATED', 'LAST USED', 'EXPIRES', 'MAY'];
  process.stdout.write(rows.length === 0 ? none : formatTable(heads, rows));
}

const datesOf = (key: z.output<typeof Key>): string[] =>
  [key.created_at, key.last_used_at, key.expires_at].map((moment) => moment?.slice(0, 10) ?? 'never');

const permissionsOf = (key: z.output<typeof Key>): string =>
  `${key.read_only ? 'read' : 'read and write'} ${key.areas?.join(', ') ?? 'everything'}${key.assistants ? ', for assistants' : ''}`;

async function* keysOf(remote: Remote, path: string): AsyncGenerator<z.output<typeof Key>> {
  let cursor: string | null | undefined;
  do {
    const next = cursor ? { next_cursor: cursor } : {};
    const page = await remote.request({
      method: 'GET',
      path,
      query: { team_id: remote.teamId, ...next },
      answer: KeyPage,
    });
    yield* page.api_keys;
    cursor = page.next_cursor;
  } while (cursor);
}

async function createKey(config: Config, flags: RemoteFlags & CreateKeyFlags): Promise<void> {
  const remote = await openRemote(config, flags);
  const environment = remote.environment ?? 'sandbox';
  const key = await remote.request({
    method: 'POST',
    path: pathOf(remote, config, environment),
    body: {
      label: flags.label,
      team_id: remote.teamId,
      expires_at: flags.expiresAt ?? null,
      read_only: flags.readOnly,
      areas: flags.area ?? null,
      assistants: flags.assistants,
    },
    answer: Key,
  });
  showOnce(config, key, environment);
}

async function rotateKey(config: Config, flags: RemoteFlags & RotateKeyFlags, id: string): Promise<void> {
  const remote = await openRemote(config, flags);
  const environment = remote.environment ?? 'sandbox';
  const key = await remote.request({
    method: 'POST',
    path: `${pathOf(remote, config, environment)}/${encodeURIComponent(id)}/rotate`,
    body: {
      overlap_hours: flags.overlapHours,
      ...(flags.expiresAt === undefined ? {} : { expires_at: flags.expiresAt }),
    },
    answer: Key,
  });
  showOnce(config, key, environment);
}

function showOnce(config: Config, key: z.output<typeof Key>, environment: Environment): void {
  process.stdout.write(
    [
      `  id            ${key.id}`,
      `  label         ${stripControlCharacters(key.label)}`,
      `  environment   ${environment}`,
      `  key           ${key.value}`,
      '',
      `  It is shown only once. Send it as x-${config.BRAND}-api-key.`,
      '',
    ].join('\n'),
  );
}

const Revoked = z.object({
  success: z.array(z.string()),
  failure: z.array(z.string()),
  not_found: z.array(z.string()),
});

async function revokeKeys(config: Config, flags: RemoteFlags, ids: readonly string[]): Promise<void> {
  const remote = await openRemote(config, flags);
  const failed: string[] = [];
  let left = ids;
  for (const environment of environmentsOf(remote)) {
    if (left.length === 0) break;
    const done = await remote.request({
      method: 'DELETE',
      path: pathOf(remote, config, environment),
      query: { api_key_id: left },
      answer: Revoked,
    });
    for (const id of done.success) process.stdout.write(`${id} revoked (${environment})\n`);
    failed.push(...done.failure.map((id) => `${id} could not be revoked; try again`));
    left = done.not_found;
  }
  failed.push(
    ...left.map(
      (id) => `${stripControlCharacters(id)} is not a key of this organization; see \`aliquot keys list\``,
    ),
  );
  if (failed.length > 0) throw new Error(failed.join('\n'));
}

const REWRAP_HELP = `
Stop the service, set the new key as ENCRYPTION_KEY and the old one as PREVIOUS_ENCRYPTION_KEY, run this, and
start the service without PREVIOUS_ENCRYPTION_KEY. If you never set a key, the old one is in encryption.key in
the data folder. Only the data keys are re-wrapped; patient data is not touched. To move to another KEY_PROVIDER, name
the old one in ADDITIONAL_KEY_PROVIDER: the service can then keep running, if it has the same settings.
`;
