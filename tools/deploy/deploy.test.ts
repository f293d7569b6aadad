import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ConfigSchema } from '../../packages/server/src/platform/config.ts';

/* What a checkout deploys with: the files must fit each other and the settings of the service. */

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const settings = new Set(Object.keys(ConfigSchema.shape));

/** Names that are no setting, nor a setting with `_FILE`. */
const unknownSettings = (names: readonly string[]): string[] =>
  names.filter((name) => !settings.has(name) && !settings.has(name.replace(/_FILE$/, '')));

const hasProgram = (name: string): boolean =>
  (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, name)));

interface ComposeService {
  build?: { dockerfile: string; target: string };
  environment?: Record<string, string>;
  secrets?: string[];
  volumes?: string[];
  networks: string[];
  depends_on?: Record<string, unknown>;
  read_only?: boolean;
}
interface ComposeFile {
  services: Record<string, ComposeService>;
  secrets: object;
  volumes: object;
  networks: object;
}

const dockerfile = read('deploy/container/Dockerfile');
const stages = [...dockerfile.matchAll(/^FROM (\S+) AS (\S+)$/gm)].map(([, from = '', name = '']) => ({
  from,
  name,
}));

describe('the Dockerfile', () => {
  it('ends as a user without rights, in an image of Debian slim', () => {
    expect(stages[0]?.from).toMatch(/^debian:\w+-slim$/);
    const before = new Set<string>();
    for (const { from, name } of stages) {
      expect([name, from.startsWith('debian:') || before.has(from)]).toEqual([name, true]);
      before.add(name);
    }
    expect(stages.at(-1)?.name).toBe('service');
    expect(dockerfile.match(/^USER .*$/gm)).toEqual(['USER 10001:10001']);
  });

  it('copies only what the checkout has', () => {
    const copied = [...dockerfile.matchAll(/\/src\/(deploy\/\S+)/g)].map(([, path = '']) => path);
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(copied).toContain('deploy/container/healthcheck.mjs');
  });
});

describe('the compose file', () => {
  const compose: ComposeFile = parse(read('deploy/compose/compose.yaml'), { merge: true });
  const services = Object.entries(compose.services);

  it('has a database, two API processes, a worker and Prometheus', () => {
    const roles = services.flatMap(([name, { environment }]) =>
      environment?.['ROLE'] === undefined || name === 'migrate' ? [] : environment['ROLE'],
    );
    expect(roles.toSorted()).toEqual(['api', 'api', 'worker']);
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(['postgres', 'prometheus']));
  });

  it.each(services)('of %s names only what it defines', (_name, service) => {
    const missing = (names: readonly string[], defined: object) =>
      names.filter((name) => !Object.hasOwn(defined, name));
    const volumes = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
    expect(missing(service.secrets ?? [], compose.secrets)).toEqual([]);
    expect(missing(service.networks, compose.networks)).toEqual([]);
    expect(
      missing(
        volumes.filter((volume) => !volume.startsWith('.')),
        compose.volumes,
      ),
    ).toEqual([]);
    expect(missing(Object.keys(service.depends_on ?? {}), compose.services)).toEqual([]);
    const files = volumes.filter((volume) => volume.startsWith('.'));
    expect(files.filter((file) => !existsSync(join(root, 'deploy/compose', file)))).toEqual([]);
    if (!service.build) return;
    expect(service.read_only).toBe(true);
    expect(stages.map(({ name }) => name)).toContain(service.build.target);
    expect(unknownSettings(Object.keys(service.environment ?? {}))).toEqual([]);
  });

  it('has its metrics scraped from every process', () => {
    const { scrape_configs: jobs } = parse(read('deploy/compose/prometheus.yml'));
    const targets: string[] = jobs[0].static_configs[0].targets;
    const processes = services.filter(([name, { build }]) => build && name !== 'migrate');
    expect(targets).toEqual(processes.map(([name]) => `${name}:9464`));
  });
});

describe('the chart', () => {
  const chart = 'deploy/helm/aliquot';
  const values = parse(read(`${chart}/values.yaml`));
  const templates = readdirSync(join(root, chart, 'templates')).map(
    (name) => [name, read(`${chart}/templates/${name}`)] as const,
  );
  const validate = new Ajv({ allErrors: true, strictTypes: false }).compile(
    JSON.parse(read(`${chart}/values.schema.json`)),
  );

  it('has the version of the service', () => {
    const { version } = JSON.parse(read('packages/server/package.json'));
    expect(parse(read(`${chart}/Chart.yaml`))).toMatchObject({ version, appVersion: version });
  });

  it('accepts its own values, and refuses secrets among the settings', () => {
    expect([validate(values), validate.errors]).toEqual([true, null]);
    const config = { ...values.config, ENCRYPTION_KEY: 'secret' };
    expect(validate({ ...values, config })).toBe(false);
    expect(validate({ ...values, secret: { name: 'a', keys: ['ENCRYPTION_KEY'] } })).toBe(false);
  });

  it('sets settings that exist', () => {
    expect(unknownSettings([...Object.keys(values.config), ...values.secret.keys])).toEqual([]);
  });

  it.each(templates)('uses only values that are there, and closes its blocks: %s', (_name, text) => {
    const paths = [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path);
    const isThere = (path: string): boolean => {
      let at: unknown = values;
      for (const name of path.split('.')) {
        if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return false;
        at = (at as Record<string, unknown>)[name];
      }
      return true;
    };
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
    const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
    expect(count(/\{\{-?\s*end\b/g)).toBe(count(/\{\{-?\s*(?:if|range|with|define)\b/g));
    const called = [...text.matchAll(/include "([^"]+)"/g)].map(([, name = '']) => name);
    const defined = templates.flatMap(([, each]) =>
      [...each.matchAll(/define "([^"]+)"/g)].map(([, name = '']) => name),
    );
    expect(called.filter((name) => !defined.includes(name))).toEqual([]);
  });

  it.skipIf(!hasProgram('helm'))('passes helm lint', () => {
    const flags = ['--strict', '--set', 'config.S3_BUCKET=files'];
    const said = execFileSync('helm', ['lint', join(root, chart), ...flags], { encoding: 'utf8' });
    expect(said).toContain('0 chart(s) failed');
  });
});

describe('the systemd unit', () => {
  const unit = 'deploy/systemd/aliquot.service';

  it.skipIf(!hasProgram('systemd-analyze') || !existsSync('/usr/bin/node'))('is valid', () => {
    expect(execFileSync('systemd-analyze', ['verify', join(root, unit)], { encoding: 'utf8' })).toBe('');
  });

  it('sets settings that exist', () => {
    const set = [...read(unit).matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) => line.split(' '));
    const file = read('deploy/systemd/aliquot.env').match(/^#?[A-Z_]+=/gm) ?? [];
    const names = [
      ...set.map((one) => one.split('=')[0] ?? ''),
      ...file.map((one) => one.replace(/[#=]/g, '')),
    ];
    expect(unknownSettings(names.filter((name) => name !== 'NODE_ENV'))).toEqual([]);
  });
});

describe('the commands', () => {
  it.each(['packages/server/bin/aliquot.js', 'packages/report-reader/bin/aliquot-report-reader.js'])(
    'can be run as they are in git, so that an install changes nothing: %s',
    (path) => {
      const listed = execFileSync('git', ['ls-files', '--stage', path], { cwd: root, encoding: 'utf8' });
      expect(listed).toMatch(/^100755 /);
      expect(statSync(join(root, path)).mode & 0o111).toBe(0o111);
    },
  );
});

/* docs/how-to/upgrade.md: expand, then replace the processes one by one. */
describe('an upgrade', () => {
  it('of the chart migrates before any pod changes, and takes out no pod before a new one is ready', () => {
    expect(read('deploy/helm/aliquot/templates/migrate.yaml')).toMatch(/hook: pre-install,pre-upgrade\n/);
    const deployment = read('deploy/helm/aliquot/templates/_helpers.tpl');
    expect(deployment).toMatch(/rollingUpdate:\n\s+maxUnavailable: 0\n\s+maxSurge: 1\n/);
    expect(deployment).toMatch(/readinessProbe:\n\s+httpGet: \{ path: \/readyz, port: probes \}/);
    expect(deployment).toMatch(/preStop:\n\s+exec:/);
  });

  it('of the compose file migrates before any process starts, and each process can be replaced alone', () => {
    const { services }: ComposeFile = parse(read('deploy/compose/compose.yaml'), { merge: true });
    const ours = Object.entries(services).filter(([name]) => /^(?:api-\d|worker)$/.test(name));
    expect(ours.map(([, { depends_on: needed }]) => needed)).toEqual(
      ours.map(() => ({ migrate: { condition: 'service_completed_successfully' } })),
    );
    const commands = [...read('docs/how-to/upgrade.md').matchAll(/`docker compose ([^`]*)`/g)].map(
      ([, words]) => words,
    );
    expect(commands).toEqual(['run --rm migrate', 'up --detach --no-deps --wait NAME']);
  });
});
