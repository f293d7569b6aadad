import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { median, type Result } from '../result.ts';
import type { Counts, DeliveryStage, Stats } from './stage.ts';

const ROUNDS = 3;
/** The first tenth is the warming up of a process that has just started. */
const EVENTS = 1000;
const ENDPOINTS = 50;
/** Of these, two in a hundred take their time. */
const SLOW = 1;
const SETTLE_WITHIN_MS = 120_000;

const fast = (count: number, name = 'n') => Array.from({ length: count }, (_, n) => `/fast/${name}/${n}`);
const rounded = (ratio: number): number => Number(ratio.toFixed(3));

async function until(stage: DeliveryStage, enough: (counts: Counts) => boolean): Promise<Stats> {
  const end = performance.now() + SETTLE_WITHIN_MS;
  for (;;) {
    const counts = await stage.counts();
    if (enough(counts)) return stage.stats();
    if (performance.now() > end) throw new Error(`Only ${counts.arrivals} deliveries came`);
    await sleep(100);
  }
}

/** Deliveries a second between the first tenth and the last, so that neither start nor end counts. */
function rateOf({ arrivals }: Stats): number {
  const [from, to] = [Math.floor(arrivals.length * 0.1), Math.floor(arrivals.length * 0.9)];
  return ((to - from) * 1000) / ((arrivals[to] ?? 0) - (arrivals[from] ?? 0));
}

/** A backlog to `ENDPOINTS` endpoints, `slow` of them slow, worked off by one sender. */
async function backlog(stage: DeliveryStage, slow: number): Promise<number> {
  const healthy = ENDPOINTS - slow;
  const paths = [...fast(healthy), ...Array.from({ length: slow }, (_, n) => `/slow/${n}`)];
  const unsubscribe = await stage.subscribe(paths);
  await stage.emit(EVENTS);
  await stage.reset();
  const sender = await stage.startSender();
  const stats = await until(stage, ({ arrivals }) => arrivals >= EVENTS * healthy);
  await unsubscribe();
  await sender.stop();
  return rateOf(stats);
}

/** The same bodies by the bare loop to the same receiver. */
async function bare(stage: DeliveryStage): Promise<number> {
  await stage.reset();
  const count = EVENTS * ENDPOINTS;
  const env = {
    RECEIVER: stage.receiver,
    COUNT: String(count),
    BODY: JSON.stringify({ event_type: 'labtest.order.created', data: 'x'.repeat(BODY_BYTES) }),
    SECRET: Buffer.alloc(32, 7).toString('base64'),
  };
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'bench/deliveries/bare.ts'], { env });
  return rateOf(await until(stage, ({ arrivals }) => arrivals >= count));
}

/** As long as the event of an order. */
const BODY_BYTES = 6000;

export async function throughput(stage: DeliveryStage): Promise<Result[]> {
  const [ours, loop, troubled]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await backlog(stage, 0));
    loop.push(await bare(stage));
    troubled.push(await backlog(stage, SLOW));
  }
  const [a, b, c] = [median(ours), median(loop), median(troubled)];
  return [
    { name: 'deliveries', ours: Math.round(a), bare: Math.round(b), ratio: rounded(a / b), goal: 0.6 },
    { name: 'deliveries-slow', ours: Math.round(c), bare: Math.round(a), ratio: rounded(c / a), goal: 0.5 },
  ];
}

const HEALTHY = 20;
const STEADY_EVENTS = 400;
const STEADY_A_SECOND = 20;

const percentile = (numbers: readonly number[], part: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * part))] ?? 0;

/** From the writing of an event to its receipt, at a steady pace, with `more` endpoints besides the healthy ones. */
async function latency(stage: DeliveryStage, healthy: number, more: readonly string[]): Promise<number[]> {
  const unsubscribe = await stage.subscribe([...fast(healthy, 'timed'), ...more]);
  await stage.emit(STEADY_A_SECOND, STEADY_A_SECOND);
  await until(stage, ({ latencies }) => latencies >= STEADY_A_SECOND * healthy);
  await stage.reset();
  await stage.emit(STEADY_EVENTS, STEADY_A_SECOND);
  const { latencies } = await until(stage, (counts) => counts.latencies >= STEADY_EVENTS * healthy);
  await unsubscribe();
  await stage.reset();
  return latencies;
}

/** One endpoint that hangs must not be felt by twenty that do not: the 99th percentile alone and beside it. */
export async function isolation(stage: DeliveryStage): Promise<Result[]> {
  const sender = await stage.startSender();
  const [alone, beside]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(percentile(await latency(stage, HEALTHY, []), 0.99));
    beside.push(percentile(await latency(stage, HEALTHY, ['/hang']), 0.99));
  }
  await sender.stop();
  const [a, b] = [median(alone), median(beside)];
  return [{ name: 'deliveries-p99', ours: b, bare: a, ratio: rounded(a / b), goal: 0.833, unit: 'ms' }];
}

/** How long a message is on its way when its event goes to one endpoint, to ten, and to a hundred. */
export async function fanOut(stage: DeliveryStage): Promise<string[]> {
  const sender = await stage.startSender();
  const lines: string[] = [];
  for (const endpoints of [1, 10, 100]) {
    const times = await latency(stage, endpoints, []);
    const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
    lines.push(`emit to receipt, ${endpoints} endpoints, ${STEADY_A_SECOND}/s: p50 ${p50} ms, p99 ${p99} ms`);
  }
  await sender.stop();
  return lines;
}
