import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Config } from '../platform/config.ts';
import { ENVIRONMENTS, type Environment } from '../platform/tenant.ts';
import type { Ground } from '../service.ts';
import { openRemote, RemoteError, withRemoteFlags, type Remote, type RemoteFlags } from './remote.ts';

const LOOK_EVERY_MS = 1000;
const CONFLICT = 409;

const Rotation = z.object({
  generation: z.number(),
  state: z.string(),
  round: z.number(),
  resealed: z.number(),
  hindrance: z.string().nullable(),
});
type Rotation = z.output<typeof Rotation>;
const DataKey = z.object({ rotation: Rotation.nullable() });

export function rotateEncryptionCommand(keys: Command, ground: () => Ground): void {
  withRemoteFlags(keys.command('rotate-encryption'))
    .description('Exchange the key that a team’s data are sealed with, while the service runs')
    .addHelpText(
      'after',
      `
Everything that was sealed before is sealed anew in the background. This waits for it and may be stopped at any time:
the service goes on, and calling it again waits again. Without --environment both are exchanged.
`,
    )
    .action(async (flags: RemoteFlags) => rotateAll(ground().config, flags));
}

async function rotateAll(config: Config, flags: RemoteFlags): Promise<void> {
  const remote = await openRemote(config, flags);
  const environments = remote.environment === undefined ? ENVIRONMENTS : [remote.environment];
  const stuck: string[] = [];
  for (const environment of environments) await begin(remote, environment);
  for (const environment of environments) {
    const { state, generation, resealed, hindrance } = await ended(remote, environment);
    process.stdout.write(
      `${environment}: data key ${generation} ${state}, ${resealed} value(s) sealed anew\n`,
    );
    if (hindrance !== null) stuck.push(`${environment}: ${hindrance}; the older keys are kept`);
  }
  if (stuck.length > 0) throw new Error(stuck.join('\n'));
}

const pathOf = ({ orgId, teamId }: Remote, environment: Environment): string =>
  `/v1/org/${orgId}/team/${teamId}/${environment}/data_key`;

/** One that is under way already is the one that is waited for. */
async function begin(remote: Remote, environment: Environment): Promise<void> {
  try {
    await remote.ask({ method: 'POST', path: `${pathOf(remote, environment)}/rotate`, answer: Rotation });
  } catch (error) {
    if (!(error instanceof RemoteError) || error.status !== CONFLICT) throw error;
  }
}

async function ended(remote: Remote, environment: Environment): Promise<Rotation> {
  let told = '';
  for (;;) {
    const path = pathOf(remote, environment);
    const { rotation } = await remote.ask({ method: 'GET', path, answer: DataKey });
    if (!rotation) throw new Error(`${environment}: no data key is being exchanged`);
    if (rotation.state === 'done' || rotation.state === 'stuck') return rotation;
    const line = `${environment}: ${rotation.state}, round ${rotation.round}, ${rotation.resealed} sealed anew`;
    if (line !== told) process.stderr.write(`${line}\n`);
    told = line;
    await sleep(LOOK_EVERY_MS);
  }
}
