import type { Called, Calling } from '../../../../tools/load/calling.ts';
import { BARE_SERVER, runCallers } from '../../../../tools/load/start-caller.ts';
import { freePort, startProcess } from '../faults/service-process.ts';
import type { AttackScene, AttackSize } from './scene.ts';
import type { AttackStage } from './stage.ts';

const AT_ONCE = 63;
/** Alternating rounds, and how long each lasts in milliseconds. */
const ROUNDS: Record<AttackSize, { readonly count: number; readonly lastsMs: number }> = {
  short: { count: 1, lastsMs: 500 },
  full: { count: 5, lastsMs: 3000 },
};
const PAUSE_MS = 5;
const SLOWDOWN_MAX = 2;
const INVENTED_KEYS = 500;

type FloodHeaders = (stage: AttackStage) => readonly Record<string, string>[];

const inventKey = (n: number) => ({ 'x-service-api-key': `sk_us_${String(n).padStart(32, '0')}` });

/** What floods the service: the headers that its requests have in turn. */
const FLOODS: Readonly<Record<string, FloodHeaders>> = {
  'requests of one team': ({ samples }) => [{ 'x-service-api-key': samples.owner.key }],
  'requests with an invalid key': () => [inventKey(0)],
  'requests with invented keys': () => Array.from({ length: INVENTED_KEYS }, (_, n) => inventKey(n)),
};

/**
 * One team floods the service while another one goes on. The flooding client needs a core wherever its requests go, so
 * the comparison is the other team's time while the same flood goes to a bare handler in another process: beyond that,
 * its median and its 99th percentile may double at most. Rounds alternate; the median of their ratios counts.
 */
export const floodScene: AttackScene = {
  name: 'flood',
  title: 'one team floods, another one works',
  run: async (stage, size) => {
    const figures: Record<string, string> = {};
    const findings: string[] = [];
    const bare = await startProcess(BARE_SERVER, { PORT: String(await freePort()) });
    try {
      for (const [name, headersOf] of Object.entries(FLOODS)) {
        const measured = await measure({ stage, size, bareUrl: bare.url, headers: headersOf(stage) });
        figures[name] = describe(measured);
        findings.push(...findingsOf(measured, size).map((finding) => `${name}: ${finding}`));
      }
    } finally {
      await bare.stop();
    }
    return { figures, findings };
  },
};

/** The calls of the other team in each round, and the answers to the flood. */
interface MeasuredFlood {
  readonly quiet: Called[];
  readonly compared: Called[];
  readonly during: Called[];
  readonly flood: Called[];
}

interface MeasuredScene {
  readonly stage: AttackStage;
  readonly size: AttackSize;
  readonly bareUrl: string;
  readonly headers: readonly Record<string, string>[];
}

async function measure({ stage, size, bareUrl, headers }: MeasuredScene): Promise<MeasuredFlood> {
  const { count, lastsMs } = ROUNDS[size];
  const [working = {}] = Object.values(stage.credentials.team);
  const other: Calling = {
    url: stage.url,
    headers: [working],
    paths: ['/v2/user?limit=10'],
    connections: 1,
    lastsMs,
    pauseMs: PAUSE_MS,
  };
  const paths = [`/v3/order/${stage.samples.theirs['order_id']}`, '/v3/orders', '/v2/user', '/v3/lab_tests'];
  const flood = { headers: [...headers], paths, connections: AT_ONCE, lastsMs, pauseMs: 0 };
  const measured: MeasuredFlood = { quiet: [], compared: [], during: [], flood: [] };
  for (let round = 0; round < count; round += 1) {
    measured.quiet.push(...(await runCallers([other])));
    const [compared] = await runCallers([other, { ...flood, url: bareUrl }]);
    const [during, flooding] = await runCallers([other, { ...flood, url: stage.url }]);
    if (!compared || !during || !flooding) throw new Error('A caller ended without an answer');
    measured.compared.push(compared);
    measured.during.push(during);
    measured.flood.push(flooding);
  }
  return measured;
}

function quantile({ times }: Pick<Called, 'times'>, part: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

const medianOf = (numbers: readonly number[]) => quantile({ times: [...numbers] }, 0.5);

/** The median over the rounds. */
const figureOf = (rounds: readonly Called[], part: number) =>
  medianOf(rounds.map((round) => quantile(round, part)));

const slowdownOf = ({ compared, during }: MeasuredFlood, part: number) =>
  medianOf(
    during.map((round, index) => quantile(round, part) / quantile(compared[index] ?? { times: [] }, part)),
  );

const PARTS = { median: 0.5, p99: 0.99 } as const;

function describe(measured: MeasuredFlood): string {
  const { quiet, compared, during, flood } = measured;
  const parts = Object.entries(PARTS).map(([name, part]) => {
    const [alone, next, now] = [quiet, compared, during].map((rounds) => figureOf(rounds, part).toFixed(1));
    return `${name} ${alone} ms quiet, ${next} ms next to the flood, ${now} ms under it (${slowdownOf(measured, part).toFixed(2)})`;
  });
  const answers = Object.entries(sumOf(flood)).map(([status, count]) => `${status} x ${count}`);
  return `${parts.join('; ')}; answers to the flood: ${answers.join(', ')}`;
}

function sumOf(rounds: readonly Called[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const { statuses } of rounds)
    for (const [status, count] of Object.entries(statuses)) sum[status] = (sum[status] ?? 0) + count;
  return sum;
}

function findingsOf(measured: MeasuredFlood, size: AttackSize): string[] {
  const findings: string[] = [];
  const failed = Object.keys(sumOf(measured.during)).filter((status) => status !== '200');
  if (failed.length > 0) findings.push(`the other team got ${failed.join(', ')}`);
  if (Object.keys(sumOf(measured.flood)).some((status) => Number(status) >= 500))
    findings.push('the flood got server errors');
  if (size === 'short') return findings;
  for (const [name, part] of Object.entries(PARTS)) {
    const slowdown = slowdownOf(measured, part);
    if (slowdown > SLOWDOWN_MAX)
      findings.push(`the other team's ${name} grew by a factor of ${slowdown.toFixed(1)}`);
  }
  return findings;
}
