import { monitorEventLoopDelay, performance, type EventLoopUtilization } from 'node:perf_hooks';
import type { Meter } from '@opentelemetry/api';

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;
const RESOLUTION_MS = 20;

/** Event-loop lag, memory and CPU time of this process, named by the semantic conventions of OpenTelemetry. */
export function observeProcess(meter: Meter): { stop(): void } {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const percentile = (name: string, read: () => number) =>
    meter
      .createObservableGauge(`nodejs.eventloop.delay.${name}`, {
        unit: 's',
        description: `Event-loop delay since the last observation: ${name}`,
      })
      .addCallback((result) => result.observe(toSeconds(read())));
  percentile('p50', () => delays.percentile(50));
  percentile('p99', () => delays.percentile(99));
  percentile('max', () => delays.max);
  observeUtilization(meter);
  meter
    .createObservableGauge('process.memory.usage', {
      unit: 'By',
      description: 'Resident memory of the process',
    })
    .addCallback((result) => result.observe(process.memoryUsage.rss()));
  meter
    .createObservableGauge('v8js.memory.heap.used', { unit: 'By', description: 'Used heap of V8' })
    .addCallback((result) => result.observe(process.memoryUsage().heapUsed));
  observeCpu(meter);
  // Last of all, so that each observation sees the time since the one before.
  const reset = meter.createObservableGauge('process.uptime', {
    unit: 's',
    description: 'Uptime of the process',
  });
  reset.addCallback((result) => {
    result.observe(process.uptime());
    delays.reset();
  });
  return { stop: () => void delays.disable() };
}

/** Without a measurement the histogram has no number. */
const toSeconds = (nanoseconds: number): number =>
  Number.isFinite(nanoseconds) && nanoseconds < Number.MAX_SAFE_INTEGER ? nanoseconds / NANOSECONDS : 0;

function observeUtilization(meter: Meter): void {
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  meter
    .createObservableGauge('nodejs.eventloop.utilization', {
      unit: '1',
      description: 'Share of the time since the last observation in which the event loop was busy',
    })
    .addCallback((result) => {
      const now = performance.eventLoopUtilization();
      result.observe(performance.eventLoopUtilization(now, before).utilization);
      before = now;
    });
}

function observeCpu(meter: Meter): void {
  meter
    .createObservableCounter('process.cpu.time', { unit: 's', description: 'CPU time of the process' })
    .addCallback((result) => {
      const { user, system } = process.cpuUsage();
      result.observe(user / MICROSECONDS, { 'cpu.mode': 'user' });
      result.observe(system / MICROSECONDS, { 'cpu.mode': 'system' });
    });
}
