import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { SEALED_COLUMNS } from '../../src/data-keys/sealed-columns.ts';
import { address, patient } from '../examples.ts';
import { openRetryingClient, sendUntilAnswered, type RetryingClient } from './retrying-client.ts';
import type { StandaloneResult, StandaloneScene } from './standalone-scene.ts';
import { killService, killRepeatedly, type ReportProgress } from './scenes.ts';
import { withFaultStage, type FaultStage } from './stage.ts';

const CLIENTS = 6;
/** Users between two kills, so that the twenty kills happen before, during and after the resealing. */
const ACKNOWLEDGED_BETWEEN_KILLS = 250;
const ROTATION_TIMEOUT_MS = 240_000;

/** Clients write sealed data while its key is rotated and the service is killed. */
export const dataKeyScene: StandaloneScene = {
  name: 'data-key',
  title: 'service process killed -9 while the data key is rotated',
  run: (advance) => withFaultStage((stage) => play(stage, advance)),
};

async function play(stage: FaultStage, advance: ReportProgress): Promise<StandaloneResult> {
  const caller = openRetryingClient(stage, CLIENTS);
  const clients = startWriting(caller);
  await stage.manage('/data_key/rotate', {});
  const struck = await killRepeatedly(stage, {
    count: () => clients.written.size,
    acknowledgedBetweenKills: ACKNOWLEDGED_BETWEEN_KILLS,
    inFlight: caller.inFlight,
    advance,
    kill: () => killService(stage),
  }).finally(clients.stop);
  const resealed = await waitUntilRotated(stage);
  const lost = [
    ...(await findUnreadableUsers(caller, clients.written)),
    ...(await findColumnsWithOldKey(stage)),
  ];
  await caller.close();
  return {
    ...struck,
    answers: caller.answers,
    acknowledged: clients.written.size,
    told: `${clients.written.size} users with their demographics, ${resealed} values resealed`,
    lost,
    doubled: [],
  };
}

const User = z.object({ user_id: z.uuid() });

function startWriting(caller: RetryingClient) {
  /** The acknowledged family name of each user. */
  const written = new Map<string, string>();
  let stopping = false;
  const client = async (name: string) => {
    for (let n = 0; !stopping; n += 1) {
      const key = `data-key/${name}/${n}`;
      const user = User.parse(
        await sendUntilAnswered(caller, { path: '/v2/user', key, body: { client_user_id: key } }),
      );
      const familyName = `Family${name}x${n}`;
      const body = { ...patient, last_name: familyName, address };
      await sendUntilAnswered(caller, {
        path: `/v2/user/${user.user_id}/info`,
        method: 'PATCH',
        key: `${key}/i`,
        body,
      });
      written.set(user.user_id, familyName);
    }
  };
  const all = Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(String(n))));
  all.catch(() => {});
  const stop = async () => {
    stopping = true;
    await all;
  };
  return { written, stop };
}

const DataKey = z.object({ rotation: z.object({ state: z.string(), resealed: z.int() }) });

async function waitUntilRotated(stage: FaultStage): Promise<number> {
  const until = performance.now() + ROTATION_TIMEOUT_MS;
  for (;;) {
    const { rotation } = DataKey.parse(await stage.manage('/data_key'));
    if (rotation.state === 'done') return rotation.resealed;
    if (performance.now() > until)
      throw new Error(`The key rotation did not finish: ${JSON.stringify(rotation)}`);
    await sleep(500);
  }
}

/** Users whose demographics differ from what was acknowledged. */
async function findUnreadableUsers(
  caller: RetryingClient,
  written: ReadonlyMap<string, string>,
): Promise<string[]> {
  const lost: string[] = [];
  for (const [id, familyName] of written) {
    const { status, text } = await caller.send({ path: `/v2/user/${id}/info/latest` });
    if (status !== 200 || JSON.parse(text).last_name !== familyName)
      lost.push(`user ${id}: ${status} ${text}`);
  }
  return lost;
}

/** Columns with values that are still sealed with the first key. */
const findColumnsWithOldKey = (stage: FaultStage): Promise<string[]> =>
  stage.onDatabase(async (client) => {
    const found: string[] = [];
    for (const column of SEALED_COLUMNS) {
      const [table, name] = column.split('.');
      const { rows } = await client.query<{ n: number }>(
        `select count(*)::int as n from ${table} where ${name} is not null and aliquot_sealed_by(${name}) <> 2
         and team_id = $1 and environment = 'sandbox'`,
        [stage.teamId],
      );
      if (rows[0] && rows[0].n > 0) found.push(`${column}: ${rows[0].n} values under the old key`);
    }
    return found;
  });
