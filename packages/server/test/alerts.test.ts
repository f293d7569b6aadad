import { execFile, execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { physician } from './examples.ts';
import { createOrder, simulateOrder } from './orders.ts';
import { useTestService } from './service-hooks.ts';

const service = useTestService();
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const RULES = join(ROOT, 'deploy/prometheus/alerts.yml');
const RUNBOOKS = join(ROOT, 'docs/runbooks');

let rules: string;
let exposed: Set<string>;
beforeAll(async () => {
  rules = await readFile(RULES, 'utf8');
  const team = await service.team();
  await team.endpoint();
  const id = await createOrder(team, 'walk_in_test', { physician });
  await simulateOrder(team, id, 'completed', { interpretation: 'critical' });
  await service.settle();
  // A job that nobody runs, so that the gauges by job have a sample.
  await service.ownerPool.query("select graphile_worker.add_job('test.unknown_job', '{}')");
  const text = await service.app.telemetry.metricsText();
  await service.ownerPool.query(
    'select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))',
  );
  const names = [...text.matchAll(/^([a-z]\w*)(?:\{| )/gm)].map(([, name = '']) => name);
  const labels = [...text.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
  exposed = new Set([...names, ...labels]);
});

/** Names of metrics and labels in expressions. Text in quotes is a value. */
const namesIn = (expressions: readonly string[]) =>
  expressions.flatMap((text) => text.replace(/"[^"]*"/g, '').match(/\b(?:[a-z0-9]+_)+[a-z0-9]+\b/g) ?? []);

const FUNCTIONS = ['histogram_quantile'];
const unknownNames = (expressions: readonly string[]) =>
  namesIn(expressions).filter((name) => !exposed.has(name) && !FUNCTIONS.includes(name));

describe('the alert rules', () => {
  const alerts = () => [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

  it('use metrics and labels that the service has', () => {
    const expressions = [...rules.matchAll(/expr: ([\s\S]*?)\n {8}for:/g)].map(([, text = '']) => text);
    expect(expressions).toHaveLength(alerts().length);
    expect(unknownNames(expressions)).toEqual([]);
    expect(unknownNames(['max(aliquot_no_such_metric)'])).toEqual(['aliquot_no_such_metric']);
  });

  it('have a runbook each, and no runbook is without its alert', async () => {
    const pages = [...rules.matchAll(/runbook: docs\/runbooks\/(\S+)/g)].map(([, page = '']) => page);
    expect(pages).toHaveLength(alerts().length);
    const files = await readdir(RUNBOOKS);
    expect(files.filter((file) => file !== 'README.md').toSorted()).toEqual(pages.toSorted());
    for (const [index, page] of pages.entries())
      expect(await readFile(join(RUNBOOKS, page), 'utf8')).toContain(`Alert: \`${alerts()[index]}\``);
  });

  it('have tests that provoke each', async () => {
    const tests = await readFile(join(ROOT, 'deploy/prometheus/alerts.test.yml'), 'utf8');
    const provoked = [...tests.matchAll(/alertname: (\w+)\n\s+exp_alerts:\n/g)].map(([, name]) => name);
    expect(provoked.toSorted()).toEqual(alerts().toSorted());
  });

  it.skipIf(!hasPromtool())('fire in the tests of promtool', async () => {
    const run = promisify(execFile);
    const file = join(ROOT, 'deploy/prometheus/alerts.test.yml');
    const { stdout } = await run('promtool', ['test', 'rules', file]);
    expect(stdout).toContain('SUCCESS');
  });
});

describe('the dashboard for Grafana', () => {
  it('shows metrics that the service has', async () => {
    const { panels } = JSON.parse(await readFile(join(ROOT, 'deploy/grafana/aliquot.json'), 'utf8'));
    const expressions = (panels as { targets: { expr: string }[] }[]).flatMap(({ targets }) =>
      targets.map(({ expr }) => expr),
    );
    expect(expressions.length).toBeGreaterThan(15);
    expect(unknownNames(expressions)).toEqual([]);
  });
});

function hasPromtool(): boolean {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
