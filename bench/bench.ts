/**
 * `npm run bench [-- --quick] [NAME...]`: our requests a second against those of a bare server, in one run on one
 * machine. Each figure is printed and written to bench/results.json as soon as it is there; a case that fails costs only
 * itself. `--quick` runs small data in short rounds, within three minutes: it shows that every case runs, not how fast.
 *
 * The service runs as `ROLE=api`, so that no worker of ours takes time from it; the work that an order leaves
 * to a worker (fan-out, delivery) is written in the request and done by another process. Rounds alternate and the
 * median counts: trust the ratio, not the numbers beside it. `orders-list` measures ours against ours: the lists of
 * a team with a million orders (`ours`) against those of a team with a thousand (`bare`). `deliveries` measures one
 * sender against a loop that signs and posts and does nothing else; `deliveries-p99` what one endpoint that hangs costs
 * twenty that do not; `latency` how long a message is on its way, beside nothing. `machine-step` measures a step of an order's
 * machine with its event, in one process with the three statements by hand.
 * `auth` measures a GET behind the gate (`ours`) against the same without a gate (`bare`).
 * `samples-bulk`, `-push`, `-size` and `-read` measure the storage of samples (`ours`) against rows of a bare table (`bare`).
 * `report-text` reads the pages of text reports (`ours`) beside pdftotext (`bare`), where that is installed.
 * `availability-cache` measures availability from what is kept (`ours`) against a provider 50 ms away (`bare`).
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
import { hl7Intake } from './hl7-intake/cases.ts';
import { reportText } from './lab-reports/cases.ts';
import { machineStep } from './machine-step/cases.ts';
import { orderLists } from './order-lists/cases.ts';
import { sampleCases } from './wearables/cases.ts';

const CASES = [
  ...requestCases,
  machineStep,
  auth,
  hl7Intake,
  orderLists,
  ...deliveryCases,
  availabilityCache,
  reportText,
  ...sampleCases,
];
const HEADERS = {
  full: 'Medians of alternating rounds. Trust the ratios: the figures depend on the machine.',
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
const ended = isInterrupted ? 'Interrupted' : `${cases.length} cases ended`;
console.log(
  `\n${ended} after ${describeDuration(seconds)}: ${figures} figures in bench/results.json, ${failures.length} failures`,
);
process.exitCode = isInterrupted ? INTERRUPTED : failures.length > 0 ? 1 : 0;
