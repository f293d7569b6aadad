import { setTimeout as sleep } from 'node:timers/promises';
import { failuresOf, quantile, startHonestCaller } from './honest-caller.ts';
import type { AttackScene, AttackSize } from './scene.ts';
import type { AttackStage } from './stage.ts';

const AT_ONCE = 64;
const LASTS_MS: Record<AttackSize, number> = { short: 500, full: 15_000 };
const SLOWDOWN_MAX = 2;

/** One team floods the service while another one goes on: the other's median may double at most. */
export const floodScene: AttackScene = {
  name: 'flood',
  title: 'one team floods, another one works',
  run: async (stage, size) => {
    const { owner, theirs } = stage.samples;
    const flooding = { 'x-service-api-key': owner.key };
    const [working = {}] = Object.values(stage.credentials.team);
    const quietCaller = startHonestCaller(stage, { path: '/v2/user?limit=10', headers: working });
    await sleep(LASTS_MS[size]);
    const quiet = await quietCaller.stop();
    const caller = startHonestCaller(stage, { path: '/v2/user?limit=10', headers: working });
    const answers = await flood(stage, {
      headers: flooding,
      paths: [`/v3/order/${theirs['order_id']}`, '/v3/orders', '/v2/user', '/v3/lab_tests'],
      lastsMs: LASTS_MS[size],
    });
    const during = await caller.stop();
    const slowdown = quantile(during, 0.5) / quantile(quiet, 0.5);
    const findings = [...failuresOf(during)];
    if ([...answers.keys()].some((status) => status >= 500)) findings.push('The flood got server errors');
    if (size === 'full' && slowdown > SLOWDOWN_MAX)
      findings.push(`The other team's median grew by a factor of ${slowdown.toFixed(1)}`);
    return {
      figures: {
        'answers to the flood': [...answers].map(([status, count]) => `${status} x ${count}`).join(', '),
        'median of the other team': `${quantile(quiet, 0.5).toFixed(1)} -> ${quantile(during, 0.5).toFixed(1)} ms (${slowdown.toFixed(2)})`,
      },
      findings,
    };
  },
};

interface Flood {
  readonly headers: Readonly<Record<string, string>>;
  readonly paths: readonly string[];
  readonly lastsMs: number;
}

async function flood(
  stage: AttackStage,
  { headers, paths, lastsMs }: Flood,
): Promise<ReadonlyMap<number, number>> {
  const answers = new Map<number, number>();
  const until = performance.now() + lastsMs;
  const sender = async (n: number) => {
    for (let call = n; performance.now() < until; call += 1) {
      const { status } = await stage.send({
        method: 'GET',
        path: paths[call % paths.length] ?? '/',
        headers,
      });
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
  };
  // One connection is left for the other team.
  await Promise.all(Array.from({ length: AT_ONCE - 1 }, (_, n) => sender(n)));
  return answers;
}
