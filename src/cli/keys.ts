import { InvalidArgumentError, Option, type Command } from 'commander';
import { z } from 'zod';
import type { Config } from '../platform/config.ts';
import type { Environment } from '../platform/tenant.ts';
import type { Ground } from '../service.ts';
import { openRemote, withRemoteFlags, type Remote, type RemoteFlags } from './remote.ts';
import { rotateEncryptionCommand } from './rotate-encryption.ts';
import { harmless, table } from './terminal.ts';

/** The keys of a team by the Management API, and the key that wraps them all by the database itself. */
export function keysCommand(program: Command, ground: (level?: string) => Ground): void {
  const keys = program
    .command('keys')
    .description('The API keys of a team, and the change of ENCRYPTION_KEY');

  withRemoteFlags(keys.command('list'))
    .description('The team’s living keys, without their secret part')
    .action(async (flags: RemoteFlags) => listKeys(ground().config, flags));

  withRemoteFlags(keys.command('create'))
    .description('Make a key; it is shown once')
    .addOption(new Option('--label <text>', 'what the key is for').makeOptionMandatory())
    .option('--expires-at <moment>', 'when it ends, as 2027-01-31T00:00:00Z; never without it')
    .option('--read-only', 'it may only GET', false)
    .option('--area <area...>', 'keep it to areas of the API, as users or results; all without it')
    .action(async (flags: RemoteFlags & NewKey) => createKey(ground().config, flags));

  withRemoteFlags(keys.command('rotate'))
    .description('Make a key in the place of another, which goes on for a while; it is shown once')
    .argument('<id>', 'as `keys list` shows it')
    .option('--overlap-hours <hours>', 'how long the old key goes on', hoursOf, 24)
    .option('--expires-at <moment>', 'when the new one ends; has to be said where the old one ends')
    .action(async (id: string, flags: RemoteFlags & Rotation) => rotateKey(ground().config, flags, id));

  withRemoteFlags(keys.command('revoke'))
    .description('End keys for good; every node refuses them within seconds')
    .argument('<id...>', 'ids, as `keys list` shows them')
    .action(async (ids: string[], flags: RemoteFlags) => revokeKeys(ground().config, flags, ids));

  rotateEncryptionCommand(keys, ground);

  keys
    .command('rewrap')
    .description('After ENCRYPTION_KEY was changed: wrap every data key with the new one')
    .addHelpText('after', REWRAP_HELP)
    // The one command of these that needs the database, and with it the service.
    .action(async () => (await import('./rewrap.ts')).rewrap(ground('warn')));
}

interface NewKey {
  readonly label: string;
  readonly expiresAt?: string;
  readonly readOnly: boolean;
  readonly area?: string[];
}

interface Rotation {
  readonly overlapHours: number;
  readonly expiresAt?: string;
}

function hoursOf(text: string): number {
  const hours = Number(text);
  if (text.trim() !== '' && Number.isInteger(hours) && hours >= 0) return hours;
  throw new InvalidArgumentError('expected a number of whole hours');
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
});
const KeyPage = z.object({ api_keys: z.array(Key), next_cursor: z.string().nullish() });

const pathOf = (remote: Remote, config: Config, environment: Environment): string =>
  `/v1/org/${remote.orgId}/team_api_keys/${environment}/${config.REGION}`;

const chosen = ({ environment }: Remote): readonly Environment[] =>
  environment === undefined ? ['sandbox', 'production'] : [environment];

async function listKeys(config: Config, flags: RemoteFlags): Promise<void> {
  const remote = await openRemote(config, flags);
  const rows: string[][] = [];
  for (const environment of chosen(remote)) {
    for await (const key of keysOf(remote, pathOf(remote, config, environment))) {
      rows.push([key.id, key.label, environment, key.value, ...datesOf(key), limitsOf(key)]);
    }
  }
  const none = `Team ${remote.teamId} has no keys${flags.environment ? ` in ${flags.environment}` : ''}.\n`;
  const heads = ['ID', 'LABEL', 'ENVIRONMENT', 'KEY', 'CREATED', 'LAST USED', 'EXPIRES', 'MAY'];
  process.stdout.write(rows.length === 0 ? none : table(heads, rows));
}

const datesOf = (key: z.output<typeof Key>): string[] =>
  [key.created_at, key.last_used_at, key.expires_at].map((moment) => moment?.slice(0, 10) ?? 'never');

const limitsOf = (key: z.output<typeof Key>): string =>
  `${key.read_only ? 'read' : 'read and write'} ${key.areas?.join(', ') ?? 'everything'}`;

async function* keysOf(remote: Remote, path: string): AsyncGenerator<z.output<typeof Key>> {
  let cursor: string | null | undefined;
  do {
    const next = cursor ? { next_cursor: cursor } : {};
    const page = await remote.ask({
      method: 'GET',
      path,
      query: { team_id: remote.teamId, ...next },
      answer: KeyPage,
    });
    yield* page.api_keys;
    cursor = page.next_cursor;
  } while (cursor);
}

async function createKey(config: Config, flags: RemoteFlags & NewKey): Promise<void> {
  const remote = await openRemote(config, flags);
  const environment = remote.environment ?? 'sandbox';
  const key = await remote.ask({
    method: 'POST',
    path: pathOf(remote, config, environment),
    body: {
      label: flags.label,
      team_id: remote.teamId,
      expires_at: flags.expiresAt ?? null,
      read_only: flags.readOnly,
      areas: flags.area ?? null,
    },
    answer: Key,
  });
  showOnce(config, key, environment);
}

async function rotateKey(config: Config, flags: RemoteFlags & Rotation, id: string): Promise<void> {
  const remote = await openRemote(config, flags);
  const environment = remote.environment ?? 'sandbox';
  const key = await remote.ask({
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
      `  label         ${harmless(key.label)}`,
      `  environment   ${environment}`,
      `  key           ${key.value}`,
      '',
      `  It is shown once. Send it as x-${config.BRAND}-api-key.`,
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
  for (const environment of chosen(remote)) {
    if (left.length === 0) break;
    const done = await remote.ask({
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
    ...left.map((id) => `${harmless(id)} is no key of this organization; see \`aliquot keys list\``),
  );
  if (failed.length > 0) throw new Error(failed.join('\n'));
}

const REWRAP_HELP = `
Stop the service, set the new key as ENCRYPTION_KEY and the old one as PREVIOUS_ENCRYPTION_KEY, run this, and
start the service without PREVIOUS_ENCRYPTION_KEY. Until now without a key of your own? The old one is in
encryption.key in the data folder. Only the data keys are wrapped anew, no patient data is touched.
`;
