import { setTimeout as sleep } from 'node:timers/promises';
import type { AttackStage } from './stage.ts';

interface HonestCall {
  readonly status: number;
  readonly milliseconds: number;
}

interface HonestCaller {
  /** Stops calling; returns all calls. */
  stop(): Promise<readonly HonestCall[]>;
}

const PAUSE_MS = 5;

/** Reads one order again and again, as an integration does, while `headers` identify its team. */
export function startHonestCaller(
  stage: AttackStage,
  { path, headers }: { path: string; headers: Readonly<Record<string, string>> },
): HonestCaller {
  const calls: HonestCall[] = [];
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      const begun = performance.now();
      const { status } = await stage.send({ method: 'GET', path, headers });
      calls.push({ status, milliseconds: performance.now() - begun });
      await sleep(PAUSE_MS);
    }
    return calls;
  })();
  return {
    stop: () => {
      isStopped = true;
      return running;
    },
  };
}

/** The time that a part of the calls stayed below, in milliseconds. */
export function quantile(calls: readonly HonestCall[], part: number): number {
  const times = calls.map(({ milliseconds }) => milliseconds).toSorted((one, other) => one - other);
  return times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;
}

/** Statuses other than 200, with their numbers. */
export function failuresOf(calls: readonly HonestCall[]): string[] {
  const failed = calls.filter(({ status }) => status !== 200);
  return failed.length === 0
    ? []
    : [
        `${failed.length} honest calls failed: ${[...new Set(failed.map(({ status }) => status))].join(', ')}`,
      ];
}
