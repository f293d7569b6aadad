import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Config } from '../platform/config.ts';
import { ENVIRONMENTS, type Environment } from '../platform/tenant.ts';
import type { BootOptions } from '../service.ts';
import { openRemote, RemoteError, addRemoteFlags, type Remote, type RemoteFlags } from './remote.ts';

const POLL_INTERVAL_MS = 1000;
const CONFLICT = 409;

const DataKeyRotation = z.object({
  generation: z.number(),
  state: z.string(),
  round: z.number(),
  resealed: z.number(),
  hindrance: z.string().nullable(),
});
type DataKeyRotation = z.output<typeof DataKeyRotation>;
const DataKey = z.object({ rotation: DataKeyRotation.nullable() });

export function rotateEncryptionCommand(keys: Command, ground: () => BootOptions): void {
  addRemoteFlags(keys.command('rotate-encryption'))
    .description('Rotate the data encryption key of a team while the service runs')
    .addHelpText(
      'after',
      `
The service re-encrypts existing data in the background. This command waits for it and can be stopped at any time: the
service continues, and running it again resumes waiting. Without --environment the keys of both environments are rotated.
`,
    )
    .action(async (flags: RemoteFlags) => rotateAll(ground().config, flags));
}

async function rotateAll(config: Config, flags: RemoteFlags): Promise<void> {
  const remote = await openRemote(config, flags);
  const environments = remote.environment === undefined ? ENVIRONMENTS : [remote.environment];
  const stuck: string[] = [];
  for (const environment of environments) await startRotation(remote, environment);
  for (const environment of environments) {
    const { state, generation, resealed, hindrance } = await waitForRotation(remote, environment);
    process.stdout.write(
      `${environment}: data key ${generation} ${state}, ${resealed} value(s) re-encrypted\n`,
    );
    if (hindrance !== null) stuck.push(`${environment}: ${hindrance}; the older keys are retained`);
  }
  if (stuck.length > 0) throw new Error(stuck.join('\n'));
}

const pathOf = ({ orgId, teamId }: Remote, environment: Environment): string =>
  `/v1/org/${orgId}/team/${teamId}/${environment}/data_key`;

/** If a rotation is already in progress, that one is waited for. */
async function startRotation(remote: Remote, environment: Environment): Promise<void> {
  try {
    await remote.request({
      method: 'POST',
      path: `${pathOf(remote, environment)}/rotate`,
      answer: DataKeyRotation,
    });
  } catch (error) {
    if (!(error instanceof RemoteError) || error.status !== CONFLICT) throw error;
  }
}

async function waitForRotation(remote: Remote, environment: Environment): Promise<DataKeyRotation> {
  let told = '';
  for (;;) {
    const path = pathOf(remote, environment);
    const { rotation } = await remote.request({ method: 'GET', path, answer: DataKey });
    if (!rotation) throw new Error(`${environment}: no key rotation is in progress`);
    if (rotation.state === 'done' || rotation.state === 'stuck') return rotation;
    const line = `${environment}: ${rotation.state}, round ${rotation.round}, ${rotation.resealed} re-encrypted`;
    if (line !== told) process.stderr.write(`${line}\n`);
    told = line;
    await sleep(POLL_INTERVAL_MS);
  }
}
