import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { SEALED_COLUMNS } from '../../src/data-keys/sealed-columns.ts';
import { address, patient } from '../examples.ts';
import { openCaller, persist, type Caller } from './caller.ts';
import type { OwnAccount, OwnScene } from './own-scene.ts';
import { killService, strike, type Advance } from './scenes.ts';
import { onStage, type Stage } from './stage.ts';

const CLIENTS = 6;
/** So many users between two kills that the twenty of them fall before, into and after the sealing. */
const CALM_AFTER = 250;
const DONE_WITHIN_MS = 240_000;

/** Clients write what is sealed while its key is exchanged; the service is killed meanwhile. */
export const dataKeyScene: OwnScene = {
  name: 'data-key',
  title: 'service process killed -9 while the data key is exchanged',
  run: (advance) => onStage((stage) => play(stage, advance)),
};

async function play(stage: Stage, advance: Advance): Promise<OwnAccount> {
  const caller = openCaller(stage, CLIENTS);
  const clients = startWriting(caller);
  await stage.manage('/data_key/rotate', {});
  const struck = await strike(stage, {
    count: () => clients.written.size,
    calmAfter: CALM_AFTER,
    underWay: caller.underWay,
    advance,
    kill: () => killService(stage),
  }).finally(clients.stop);
  const resealed = await ended(stage);
  const lost = [...(await unread(caller, clients.written)), ...(await unsealed(stage))];
  await caller.close();
  return {
    ...struck,
    answers: caller.answers,
    acknowledged: clients.written.size,
    told: `${clients.written.size} users with their demographics, ${resealed} values sealed anew`,
    lost,
    doubled: [],
  };
}

const User = z.object({ user_id: z.uuid() });

function startWriting(caller: Caller) {
  /** The family name that each user was acknowledged with. */
  const written = new Map<string, string>();
  let stopping = false;
  const client = async (name: string) => {
    for (let n = 0; !stopping; n += 1) {
      const key = `data-key/${name}/${n}`;
      const user = User.parse(
        await persist(caller, { path: '/v2/user', key, body: { client_user_id: key } }),
      );
      const familyName = `Family${name}x${n}`;
      const body = { ...patient, last_name: familyName, address };
      await persist(caller, {
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

async function ended(stage: Stage): Promise<number> {
  const until = performance.now() + DONE_WITHIN_MS;
  for (;;) {
    const { rotation } = DataKey.parse(await stage.manage('/data_key'));
    if (rotation.state === 'done') return rotation.resealed;
    if (performance.now() > until) throw new Error(`The exchange did not end: ${JSON.stringify(rotation)}`);
    await sleep(500);
  }
}

/** Users whose demographics are not what was acknowledged. */
async function unread(caller: Caller, written: ReadonlyMap<string, string>): Promise<string[]> {
  const lost: string[] = [];
  for (const [id, familyName] of written) {
    const { status, text } = await caller.ask({ path: `/v2/user/${id}/info/latest` });
    if (status !== 200 || JSON.parse(text).last_name !== familyName)
      lost.push(`user ${id}: ${status} ${text}`);
  }
  return lost;
}

/** Columns in which something is still sealed with the first key. */
const unsealed = (stage: Stage): Promise<string[]> =>
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
