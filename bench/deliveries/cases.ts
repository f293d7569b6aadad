import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { defineCase, type BenchCase, type BenchGroup } from '../../tools/bench/bench-case.ts';
import { median } from '../result.ts';
import { deliveryStage, type DeliveryCounts, type DeliveryStage, type DeliveryStats } from './stage.ts';

const DELIVERIES: BenchGroup = {
  heading: 'Deliveries per second: one sender and a bare loop (p99 rows: milliseconds)',
  columns: ['ours', 'bare'],
};

/** A backlog of events, each of which goes to every endpoint. */
interface BacklogSize {
  readonly rounds: number;
  /** The first tenth warms up a process that has just started. */
  readonly events: number;
  readonly endpoints: number;
}

/** Number of slow endpoints: 2 % of the full size. */
const SLOW = 1;
const SETTLE_TIMEOUT_MS = 120_000;

const fastPaths = (count: number, name = 'n') =>
  Array.from({ length: count }, (_, n) => `/fast/${name}/${n}`);
const rounded = (ratio: number): number => Number(ratio.toFixed(3));

async function waitForCounts(
  stage: DeliveryStage,
  enough: (counts: DeliveryCounts) => boolean,
): Promise<DeliveryStats> {
  const end = performance.now() + SETTLE_TIMEOUT_MS;
  for (;;) {
    const counts = await stage.counts();
    if (enough(counts)) return stage.stats();
    if (performance.now() > end) throw new Error(`Only ${counts.arrivals} deliveries arrived in time`);
    await sleep(100);
  }
}

/** Deliveries per second without the first and last tenth, so that neither start nor end counts. */
function rateOf({ arrivals }: DeliveryStats): number {
  const [from, to] = [Math.floor(arrivals.length * 0.1), Math.floor(arrivals.length * 0.9)];
  return ((to - from) * 1000) / ((arrivals[to] ?? 0) - (arrivals[from] ?? 0));
}

/** Delivers a backlog to all endpoints, `slow` of them slow, with one sender. */
async function runBacklog(
  stage: DeliveryStage,
  { events, endpoints }: BacklogSize,
  slow: number,
): Promise<number> {
  const healthy = endpoints - slow;
  const paths = [...fastPaths(healthy), ...Array.from({ length: slow }, (_, n) => `/slow/${n}`)];
  const unsubscribe = await stage.subscribe(paths);
  await stage.emit(events);
  await stage.reset();
  const sender = await stage.startSender();
  const stats = await waitForCounts(stage, ({ arrivals }) => arrivals >= events * healthy);
  await unsubscribe();
  await sender.stop();
  return rateOf(stats);
}

/** Sends the same bodies with the bare loop to the same receiver. */
async function runBareLoop(stage: DeliveryStage, { events, endpoints }: BacklogSize): Promise<number> {
  await stage.reset();
  const count = events * endpoints;
  const env = {
    RECEIVER: stage.receiver,
    COUNT: String(count),
    BODY: JSON.stringify({ event_type: 'labtest.order.created', data: 'x'.repeat(BODY_BYTES) }),
    SECRET: Buffer.alloc(32, 7).toString('base64'),
  };
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'bench/deliveries/bare.ts'], { env });
  return rateOf(await waitForCounts(stage, ({ arrivals }) => arrivals >= count));
}

/** As long as the event of an order. */
const BODY_BYTES = 6000;

const throughput = defineCase<DeliveryStage, BacklogSize>({
  name: 'deliveries',
  group: DELIVERIES,
  goal: 0.6,
  stage: deliveryStage,
  sizes: {
    full: { rounds: 3, events: 1000, endpoints: 50 },
    quick: { rounds: 1, events: 60, endpoints: 10 },
  },
  expectedSeconds: { full: 240, quick: 8 },
  run: async (stage, { parameters: size, goal, report, advance }) => {
    const [ours, loop, troubled]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < size.rounds; round += 1) {
      ours.push(await runBacklog(stage, size, 0));
      loop.push(await runBareLoop(stage, size));
      troubled.push(await runBacklog(stage, size, SLOW));
      advance(round + 1, size.rounds);
    }
    const [a, b, c] = [median(ours), median(loop), median(troubled)];
    report({ name: 'deliveries', ours: Math.round(a), bare: Math.round(b), ratio: rounded(a / b), goal });
    const slow = { name: 'deliveries-slow', ours: Math.round(c), bare: Math.round(a) };
    report({ ...slow, ratio: rounded(c / a), goal: SLOW_GOAL });
  },
});

/** One slow endpoint may cost at most half of the deliveries to the others. */
const SLOW_GOAL = 0.5;

/** Events at a constant rate, each of which goes to every healthy endpoint. */
interface SteadySize {
  readonly rounds: number;
  readonly healthy: readonly number[];
  readonly events: number;
}

const STEADY_A_SECOND = 20;

const percentile = (numbers: readonly number[], part: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * part))] ?? 0;

/** Milliseconds from writing an event to its receipt, at a constant rate; `more` are endpoints that are not healthy. */
async function measureLatency(
  stage: DeliveryStage,
  { events, healthy }: { events: number; healthy: number },
  more: readonly string[] = [],
): Promise<number[]> {
  const unsubscribe = await stage.subscribe([...fastPaths(healthy, 'timed'), ...more]);
  await stage.emit(STEADY_A_SECOND, STEADY_A_SECOND);
  await waitForCounts(stage, ({ latencies }) => latencies >= STEADY_A_SECOND * healthy);
  await stage.reset();
  await stage.emit(events, STEADY_A_SECOND);
  const { latencies } = await waitForCounts(stage, (counts) => counts.latencies >= events * healthy);
  await unsubscribe();
  await stage.reset();
  return latencies;
}

/** An endpoint that hangs must not slow down twenty healthy ones: the 99th percentile with and without it. */
const isolation = defineCase<DeliveryStage, SteadySize>({
  name: 'deliveries-p99',
  group: DELIVERIES,
  goal: 0.833,
  stage: deliveryStage,
  sizes: {
    full: { rounds: 3, healthy: [20], events: 400 },
    quick: { rounds: 1, healthy: [5], events: 20 },
  },
  expectedSeconds: { full: 150, quick: 6 },
  run: async (
    stage,
    {
      parameters: {
        rounds,
        healthy: [healthy = 1],
        events,
      },
      goal,
      report,
      advance,
    },
  ) => {
    const sender = await stage.startSender();
    const [alone, beside]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      alone.push(percentile(await measureLatency(stage, { events, healthy }), 0.99));
      beside.push(percentile(await measureLatency(stage, { events, healthy }, ['/hang']), 0.99));
      advance(round + 1, rounds);
    }
    await sender.stop();
    const [a, b] = [median(alone), median(beside)];
    report({ name: 'deliveries-p99', ours: b, bare: a, ratio: rounded(a / b), goal });
  },
});

/** Delivery latency when an event goes to one endpoint, to ten, and to a hundred. */
const fanOut = defineCase<DeliveryStage, SteadySize>({
  name: 'latency',
  group: {
    heading: `Milliseconds from writing an event to its receipt, at ${STEADY_A_SECOND} events per second`,
    columns: ['ms', 'bare'],
  },
  goal: 0,
  stage: deliveryStage,
  sizes: {
    full: { rounds: 1, healthy: [1, 10, 100], events: 400 },
    quick: { rounds: 1, healthy: [1, 10], events: 20 },
  },
  expectedSeconds: { full: 75, quick: 6 },
  run: async (stage, { parameters: { healthy, events }, report, advance }) => {
    const sender = await stage.startSender();
    for (const [n, endpoints] of healthy.entries()) {
      const times = await measureLatency(stage, { events, healthy: endpoints });
      for (const part of [50, 99]) {
        const name = `latency, ${endpoints} endpoints, p${part}`;
        report({ name, ours: percentile(times, part / 100), bare: null, ratio: null, goal: null });
      }
      advance(n + 1, healthy.length);
    }
    await sender.stop();
  },
});

export const deliveryCases: readonly BenchCase[] = [throughput, isolation, fanOut];
