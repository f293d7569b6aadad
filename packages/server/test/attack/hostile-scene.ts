import { hostileRequests } from './hostile-requests.ts';
import type { AttackScene, AttackSize } from './scene.ts';
import type { AttackAnswer, AttackRequest, AttackStage } from './stage.ts';

const COUNTS: Record<AttackSize, number> = { short: 1500, full: 200_000 };
const SENDERS = 32;
/** Memory is compared with that after this part of the requests: caches and the heap grow to their sizes before. */
const WARM_PART = 0.3;
const GROWTH_MAX = 1.2;
const SEED = 20_261_125;

/** Generated requests over all routes: none is a server error, and memory stays flat. */
export const hostileScene: AttackScene = {
  name: 'hostile',
  title: 'generated hostile requests over all routes',
  run: async (stage, size) => {
    const tally = await sendAll(stage, COUNTS[size]);
    const growth = tally.memoryAtEnd / tally.memoryWhenWarm;
    const findings = [...tally.findings];
    if (size === 'full' && growth > GROWTH_MAX)
      findings.push(`memory grew by a factor of ${growth.toFixed(2)}`);
    const answers = [...tally.statuses].toSorted(([one], [other]) => one - other);
    return {
      figures: {
        requests: String(COUNTS[size]),
        answers: answers.map(([status, count]) => `${status} x ${count}`).join(', '),
        'connections closed by the service': String(tally.closed),
        'memory when warm': megabytes(tally.memoryWhenWarm),
        'memory at the end': megabytes(tally.memoryAtEnd),
      },
      findings,
    };
  },
};

const megabytes = (bytes: number) => `${Math.round(bytes / 1024 ** 2)} MB`;

interface HostileTally {
  readonly statuses: Map<number, number>;
  readonly findings: string[];
  closed: number;
  memoryWhenWarm: number;
  memoryAtEnd: number;
}

const FINDINGS_MAX = 50;

async function sendAll(stage: AttackStage, count: number): Promise<HostileTally> {
  const tally: HostileTally = {
    statuses: new Map(),
    findings: [],
    closed: 0,
    memoryWhenWarm: 0,
    memoryAtEnd: 0,
  };
  const requests = hostileRequests(stage, SEED);
  let sent = 0;
  const sender = async () => {
    while (sent < count && tally.findings.length < FINDINGS_MAX) {
      sent += 1;
      if (sent === Math.round(count * WARM_PART)) tally.memoryWhenWarm = await peakMemory(stage);
      const { value } = requests.next();
      await judge(stage, value, tally);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  tally.memoryAtEnd = await peakMemory(stage);
  return tally;
}

/** The highest of some readings: a single one depends on when garbage was last collected. */
async function peakMemory(stage: AttackStage): Promise<number> {
  let peak = 0;
  for (let reading = 0; reading < 10; reading += 1) {
    await stage.send({ method: 'GET', path: '/healthz' });
    peak = Math.max(peak, await stage.memoryBytes());
  }
  return peak;
}

async function judge(stage: AttackStage, request: AttackRequest, tally: HostileTally): Promise<void> {
  const answer = await stage.send(request).catch((error: unknown) => {
    if (!isClosedConnection(error)) throw error;
    tally.closed += 1;
  });
  if (!answer) return;
  tally.statuses.set(answer.status, (tally.statuses.get(answer.status) ?? 0) + 1);
  if (answer.status >= 500 && !isBusy(answer))
    tally.findings.push(`${describe(request)}: ${answer.status} ${answer.text.slice(0, 200)}`);
}

/** The service may refuse a request before it has read its body, and then closes the connection. */
const isClosedConnection = (error: unknown): boolean =>
  error instanceof Error &&
  /other side closed|ECONNRESET|EPIPE/.test(`${error.message} ${String(error.cause)}`);

const isBusy = ({ status, headers }: AttackAnswer): boolean => status === 503 && 'retry-after' in headers;

const describe = ({ method, path, headers, body }: AttackRequest): string =>
  `${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 300)} ${String(body ?? '').slice(0, 300)}`;
