import { InvalidArgumentError, type Command } from 'commander';
import { z } from 'zod';
import { systemClock } from '../platform/clock.ts';
import type { BootOptions } from '../service.ts';
import { createDemoClient, DemoCallError, type DemoClient } from './demo/client.ts';
import { fillClinic } from './demo/fill-clinic.ts';
import { pinCertificate } from './own-certificate.ts';
import { addRemoteFlags, openRemote, readCredentials, type RemoteFlags } from './remote.ts';
import { formatTable } from './terminal/terminal.ts';

interface DemoFlags extends RemoteFlags {
  readonly key?: string;
  readonly managementKey?: string;
  readonly people: number;
  readonly seed: string;
  readonly again: boolean;
}

const PEOPLE_MAX = 1000;

/** Fills a sandbox with a fictional clinic. */
export function demoCommand(program: Command, ground: (level?: string) => BootOptions): void {
  const command = program
    .command('demo')
    .description(
      'Fill the sandbox of a team with a fictional clinic: people, orders, results, devices, webhooks',
    )
    .option('--key <key>', 'sandbox key of the team; default: from credentials.json')
    .option('--people <n>', `number of people, 5 to ${PEOPLE_MAX}`, readPeople, 200)
    .option('--seed <text>', 'the same seed gives the same people and values', 'clinic')
    .option('--again', 'also fill a sandbox that has other users; its orders then have no history', false);
  addRemoteFlags(command).action(async (flags: DemoFlags) => runDemo(ground('warn'), flags));
}

function readPeople(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count >= 5 && count <= PEOPLE_MAX) return count;
  throw new InvalidArgumentError(`Expected 5 to ${PEOPLE_MAX}.`);
}

async function runDemo({ config }: BootOptions, flags: DemoFlags): Promise<void> {
  if (flags.environment === 'production') throw new Error('A demo fills a sandbox only, never production.');
  const { url, orgId, teamId } = await openRemote(config, flags);
  const kept = await readCredentials(config.DATA_DIR);
  const managementKey = flags.managementKey ?? kept?.management_key;
  const teamKey = flags.key ?? (kept?.team_id === teamId ? kept.team_api_key : undefined);
  if (teamKey === undefined || managementKey === undefined)
    throw new Error('There is no key of this team in credentials.json. Pass a sandbox key with --key.');
  if (!teamKey.startsWith('sk_'))
    throw new Error('The key is not one of a sandbox. A demo fills a sandbox only.');
  const { TLS_CERT_FILE: certificate } = config;
  const dispatcher =
    flags.url === undefined && certificate !== undefined ? await pinCertificate(certificate) : undefined;
  const client = createDemoClient({ url, brand: config.BRAND, teamKey, managementKey, dispatcher });
  await requireKeyOfTeam(client, teamId);
  const startedMs = performance.now();
  const counts = await fillClinic({
    client,
    orgId,
    teamId,
    seed: flags.seed,
    people: flags.people,
    again: flags.again,
    now: () => systemClock.now(),
    report: (text) => process.stderr.write(`${text}\n`),
  });
  if (Object.keys(counts).length === 0) return;
  const rows = Object.entries(counts).map(([name, count]) => [name, String(count)]);
  process.stdout.write(formatTable(['MADE', 'COUNT'], rows));
  process.stdout.write(`in ${((performance.now() - startedMs) / 1000).toFixed(1)} s\n`);
}

/** The key and the team may come from different flags. */
async function requireKeyOfTeam(client: DemoClient, teamId: string): Promise<void> {
  try {
    await client.team({ method: 'GET', path: `/v2/team/${teamId}`, answer: z.unknown() });
  } catch (error) {
    if (!(error instanceof DemoCallError) || error.status !== 404) throw error;
    throw new Error(`The key is not one of the team ${teamId}. Pass --team and --key of the same team.`);
  }
}
