/**
 * `npm run bench [-- --quick] [NAME...]`: compares the service with a bare server that does the same work by hand, in
 * one run on one machine. Each figure is printed and written to bench/results.json as soon as it is measured. A case
 * that fails does not stop the others. `--quick` uses small data and short rounds and takes less than three minutes; it
 * shows that every case runs, not how fast.
 *
 * The service runs as `ROLE=api`, so that no worker competes with it: the request writes the work for workers (fan-out,
 * delivery), and another process does it. Rounds alternate and the median counts: compare ratios, not figures.
 *
 * - `orders-list`: lists of a team with a million orders (`ours`), of a team with a thousand (`bare`)
 * - `deliveries`: one sender; a loop that only signs and posts
 * - `deliveries-p99`: twenty healthy endpoints next to one that hangs; the same twenty alone
 * - `latency`: time from an event to its receipt; no comparison
 * - `machine-step`: one transition of an order with its event; the three statements by hand
 * - `driver-read`, `-create`, `driver-request-read`, `-create`: the fast database driver; the plain one, pg and postgres
 * - `auth`: a GET with authentication; the same GET without
 * - `signals-read`, `-create`: requests with metrics and a log line for each; the same without both
 * - `flood`: answers a second to one team while another one floods the service; while it floods a bare handler
 * - `samples-bulk`, `-push`, `-size`, `-read`: sample storage; rows of a bare table
 * - `report-text`: pages of text reports; pdftotext, if it is installed
 * - `availability-cache`: cached availability; a provider 50 ms away
 */
import { chooseCases, type ChosenCases } from '../tools/bench/choose-cases.ts';
import { writeResults } from '../tools/bench/results-file.ts';
import { runCases, stepsOf } from '../tools/bench/run-cases.ts';
import { openProgress } from '../tools/progress/progress.ts';
import { describeDuration } from '../tools/progress/time-left.ts';
import { auth } from './auth/cases.ts';
import { availabilityCache } from './availability-cache.ts';
import { requestCases } from './cases.ts';
import { deliveryCases } from './deliveries/cases.ts';
import { driverCases } from './drivers/cases.ts';
import { flood } from './flood/cases.ts';
import { hl7Intake } from './hl7-intake/cases.ts';
import { reportText } from './lab-reports/cases.ts';
import { machineStep } from './machine-step/cases.ts';
import { orderLists } from './order-lists/cases.ts';
import { signalCases } from './signals/cases.ts';
import { sampleCases } from './wearables/cases.ts';

const CASES = [
  ...requestCases,
  ...driverCases,
  machineStep,
  auth,
  ...signalCases,
  flood,
  hl7Intake,
  orderLists,
  ...deliveryCases,
  availabilityCache,
  reportText,
  ...sampleCases,
];
const HEADERS = {
  full: 'Medians of alternating rounds. Compare the ratios; the figures depend on the machine.',
  quick: 'Quick: small data and short rounds. The figures show that a case runs, not how fast it is.',
};
const RESULTS = new URL('results.json', import.meta.url);
const INTERRUPTED = 130;

function chosenCases(): ChosenCases {
  try {
    return chooseCases(CASES, process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

const { cases, size } = chosenCases();
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort());
const progress = openProgress(stepsOf(cases, size));
progress.print(HEADERS[size]);
const { results, failures } = await runCases({
  cases,
  size,
  progress,
  save: (all) => writeResults(RESULTS, all),
  interrupt: interruption.signal,
});
const seconds = progress.close();
for (const failure of failures) console.log(`Failed: ${failure}`);
const figures = results.filter((result) => 'ours' in result).length;
const { aborted: isInterrupted } = interruption.signal;
const ended = isInterrupted ? 'Interrupted' : `${cases.length} cases finished`;
console.log(
  `\n${ended} after ${describeDuration(seconds)}: ${figures} figures in bench/results.json, ${failures.length} failures`,
);
process.exitCode = isInterrupted ? INTERRUPTED : failures.length > 0 ? 1 : 0;
