import { setTimeout as sleep } from 'node:timers/promises';
import { makeBombs, type Bomb } from './bombs.ts';
import { failuresOf, quantile, startHonestCaller } from './honest-caller.ts';
import type { AttackScene, AttackSize } from './scene.ts';
import type { AttackAnswer, AttackStage } from './stage.ts';

const SCALES: Record<AttackSize, number> = { short: 1, full: 16 };
const MEMORY_MAX_BYTES = 256 * 1024 ** 2;
const POLLS_MAX = 1200;
const POLL_MS = 100;

/** Files and bodies that unpack to much: each is refused or fails with its reason, and nobody else notices. */
export const bombScene: AttackScene = {
  name: 'bombs',
  title: 'gzip, zip, XML, PDF and image bombs',
  run: async (stage, size) => {
    const { samples } = stage;
    const honest = { path: '/v2/user?limit=1', headers: { 'x-service-api-key': samples.owner.key } };
    const caller = startHonestCaller(stage, honest);
    const memory = await stage.memoryBytes();
    const figures: Record<string, string> = {};
    const findings: string[] = [];
    let peak = memory;
    const thrown: { bomb: Bomb; answer: AttackAnswer }[] = [];
    for (const bomb of await makeBombs(SCALES[size])) {
      thrown.push({ bomb, answer: await throwBomb(stage, bomb) });
      peak = Math.max(peak, await stage.memoryBytes());
    }
    // The service works on all accepted files at the same time.
    await Promise.all(
      thrown.map(async ({ bomb, answer }) => {
        const outcome = answer.status === 200 ? await outcomeOf(stage, bomb, answer) : answer.text;
        peak = Math.max(peak, await stage.memoryBytes());
        figures[bomb.name] = `${bomb.bytes.length} bytes: ${answer.status} ${outcome.slice(0, 120)}`;
        if (answer.status >= 500)
          findings.push(`${bomb.name}: ${answer.status} ${answer.text.slice(0, 200)}`);
        if (outcome.includes('root:')) findings.push(`${bomb.name}: a file of the machine was read`);
        if (outcome === NOT_FINISHED) findings.push(`${bomb.name}: ${outcome}`);
      }),
    );
    const calls = await caller.stop();
    findings.push(...failuresOf(calls));
    figures['honest calls meanwhile'] =
      `${calls.length}, p99 ${quantile(calls, 0.99).toFixed(0)} ms, slowest ${quantile(calls, 1).toFixed(0)} ms`;
    figures['memory'] = `+${Math.round((peak - memory) / 1024 ** 2)} MB`;
    if (size === 'full' && peak - memory > MEMORY_MAX_BYTES)
      findings.push(`memory grew by ${peak - memory} bytes`);
    return { figures, findings };
  },
};

const NOT_FINISHED = 'The job did not finish in time';

function throwBomb(stage: AttackStage, bomb: Bomb): Promise<AttackAnswer> {
  const { owner, theirs } = stage.samples;
  const key = { 'x-service-api-key': owner.key };
  const userId = theirs['user_id'] ?? '';
  switch (bomb.target) {
    case 'timeseries':
      return stage.send({
        method: 'POST',
        path: `/v2/timeseries/${userId}/heartrate`,
        headers: {
          ...key,
          'content-type': bomb.type,
          ...(bomb.encoding ? { 'content-encoding': bomb.encoding } : {}),
        },
        body: bomb.bytes,
      });
    case 'json':
      return stage.send({
        method: 'POST',
        path: '/v2/user',
        headers: { ...key, 'content-type': bomb.type },
        body: bomb.bytes,
      });
    case 'wearable file':
      return upload(stage, { path: `/v2/user/${userId}/wearable_file`, bomb, fields: {} });
    case 'lab report':
      return upload(stage, { path: '/lab_report/v1/parser/job', bomb, fields: { user_id: userId } });
  }
}

interface BombUpload {
  readonly path: string;
  readonly bomb: Bomb;
  readonly fields: Readonly<Record<string, string>>;
}

async function upload(stage: AttackStage, { path, bomb, fields }: BombUpload): Promise<AttackAnswer> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bomb.bytes)], { type: bomb.type }), 'bomb');
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const encoded = new Response(form);
  return stage.send({
    method: 'POST',
    path,
    headers: {
      'x-service-api-key': stage.samples.owner.key,
      'content-type': encoded.headers.get('content-type') ?? '',
    },
    body: Buffer.from(await encoded.arrayBuffer()),
  });
}

const UNFINISHED = /"status":"(upload_pending|started|received|reading)"/;

/** The final answer about an accepted file. */
async function outcomeOf(stage: AttackStage, { target }: Bomb, { text }: AttackAnswer): Promise<string> {
  const { id } = JSON.parse(text) as { id?: string };
  const { owner, theirs } = stage.samples;
  const path =
    target === 'lab report'
      ? `/lab_report/v1/parser/job/${id}`
      : `/v2/user/${theirs['user_id']}/wearable_file/${id}`;
  if (id === undefined || (target !== 'lab report' && target !== 'wearable file')) return text;
  for (let poll = 0; poll < POLLS_MAX; poll += 1) {
    const job = await stage.send({ method: 'GET', path, headers: { 'x-service-api-key': owner.key } });
    if (!UNFINISHED.test(job.text)) return job.text;
    await sleep(POLL_MS);
  }
  return NOT_FINISHED;
}
