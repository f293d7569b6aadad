import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether Prometheus is installed. */
export const hasPrometheus = (process.env['PATH'] ?? '').split(':').some((folder) => {
  try {
    accessSync(join(folder, 'prometheus'), constants.X_OK);
    return true;
  } catch {
    return false;
  }
});

/** A running Prometheus with rules and targets. */
export interface RunningPrometheus {
  /** The names of the alerts that fire now, in alphabetical order. */
  firing(): Promise<string[]>;
  /** The health of the targets by host and port: `up`, `down` or `unknown`. */
  targets(): Promise<Map<string, string>>;
  close(): Promise<void>;
}

interface PrometheusOptions {
  readonly rulesFile: string;
  /** `127.0.0.1:9464`. */
  readonly targets: readonly string[];
}

const START_TIMEOUT_MS = 30_000;

/** Starts Debian's Prometheus. It scrapes every two seconds, and alerts wait one second before they fire. */
export async function openPrometheus({ rulesFile, targets }: PrometheusOptions): Promise<RunningPrometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-prometheus-'));
  const rules = (await readFile(rulesFile, 'utf8')).replaceAll(/for: \d+m/g, 'for: 1s');
  await writeFile(join(folder, 'alerts.yml'), rules);
  await writeFile(join(folder, 'prometheus.yml'), configOf(targets));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const server = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { cwd: folder, stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
  const close = async () => {
    server.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    if (!(await waitFor(() => answers(`${url}/-/ready`), START_TIMEOUT_MS)))
      throw new Error('Prometheus did not start');
  } catch (error) {
    await close();
    throw error;
  }
  return {
    firing: async () => {
      const { alerts } = await readApi<{ alerts: Alert[] }>(`${url}/api/v1/alerts`);
      const names = alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
      return [...new Set(names)].toSorted();
    },
    targets: async () => {
      const { activeTargets } = await readApi<{ activeTargets: Target[] }>(`${url}/api/v1/targets`);
      return new Map(activeTargets.map(({ labels, health }) => [labels.instance, health]));
    },
    close,
  };
}

const POLL_EVERY_MS = 100;

/** Asks until the answer is yes, or the time is over; returns the last answer. */
export async function waitFor(happened: () => Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  while (!(await happened())) {
    if (performance.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
  }
  return true;
}

interface Alert {
  readonly state: string;
  readonly labels: { readonly alertname: string };
}

interface Target {
  readonly health: string;
  readonly labels: { readonly instance: string };
}

const configOf = (targets: readonly string[]): string =>
  `global: { scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s }
rule_files: [alerts.yml]
scrape_configs:
  - job_name: aliquot
    static_configs: [{ targets: ${JSON.stringify(targets)} }]
`;

async function readApi<T>(url: string): Promise<T> {
  const answer = await fetch(url);
  const { data } = (await answer.json()) as { data: T };
  return data;
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
