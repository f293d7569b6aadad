// `npm run check:package`: installs the packed service in an empty folder, as a machine with Node.js alone does, and
// serves from there. Ends with 1 if a limit is exceeded. With --slow-machine, times are printed but not judged.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from '../builds/paths.mjs';

const IDLE_MS = 10_000;
const START_DEADLINE_MS = 120_000;
const isSlow = process.argv.includes('--slow-machine');

const folder = mkdtempSync(join(tmpdir(), 'aliquot-package-'));
const program = join(folder, 'node_modules/aliquot/bin/aliquot.js');
const failures = [];

function judge(what, value, { limit, unit, isTime = false }) {
  const isOver = value > limit;
  process.stdout.write(`${what}: ${value.toFixed(1)} ${unit} (limit ${limit})${isOver ? ' EXCEEDED' : ''}\n`);
  if (isOver && !(isTime && isSlow)) failures.push(what);
}

function expectThat(what, isSo) {
  process.stdout.write(`${what}: ${isSo ? 'yes' : 'NO'}\n`);
  if (!isSo) failures.push(what);
}

const secondsSince = (start) => (performance.now() - start) / 1000;

function install() {
  const name = readdirSync(join(ROOT, 'dist')).find((file) => /^aliquot-\d.*\.tgz$/.test(file));
  if (!name) throw new Error('dist/ has no packed service: run `npm run pack`');
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const start = performance.now();
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync('npm', ['install', ...flags, join(ROOT, 'dist', name)], { cwd: folder, stdio: 'ignore' });
  judge('install', secondsSince(start), { limit: 25, unit: 's', isTime: true });
  const [size] = execFileSync('du', ['-sm', 'node_modules'], { cwd: folder, encoding: 'utf8' }).split('\t');
  judge('size', Number(size), { limit: 200, unit: 'MB' });
  const tools = ['typescript', 'esbuild', 'vite', 'tsx', 'aliquot-report-reader'];
  const installed = readdirSync(join(folder, 'node_modules'));
  expectThat('no compiler and no bundler', !tools.some((tool) => installed.includes(tool)));
  const materials = JSON.parse(readFileSync(join(folder, 'node_modules/aliquot/bundled.cdx.json'), 'utf8'));
  const bundled = new Set(materials.components.map(({ name }) => name));
  const missing = ['fastify', 'react', 'undici', 'zod'].filter((name) => !bundled.has(name));
  expectThat('its bill of materials lists what was bundled', missing.length === 0);
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

async function serve(settings, name) {
  const start = performance.now();
  const child = spawn(process.execPath, [program, 'serve'], { env: settings, stdio: 'ignore' });
  const url = `http://127.0.0.1:${settings.PORT}`;
  while (
    !(await fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || secondsSince(start) * 1000 > START_DEADLINE_MS)
      throw new Error(`The service did not start: code ${child.exitCode}`);
    await pause(10);
  }
  judge(`start, ${name}`, secondsSince(start), { limit: 2, unit: 's', isTime: true });
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    expectThat('ends with 0', (await ended) === 0);
  };
  return { url, pid: child.pid, stop };
}

/** Of this process alone: the database has its own memory. */
const residentMegabytes = (pid) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

async function use({ url, pid }, settings) {
  const credentials = JSON.parse(readFileSync(join(settings.DATA_DIR, 'credentials.json'), 'utf8'));
  const headers = { 'x-service-api-key': credentials.team_api_key, 'content-type': 'application/json' };
  const created = await fetch(`${url}/v2/user`, {
    method: 'POST',
    headers,
    body: '{"client_user_id":"one"}',
  });
  expectThat('creates a user', created.status === 200);
  const found = await fetch(`${url}/v1/loinc?q=glucose`, { headers });
  expectThat('searches LOINC without the report reader', ((await found.json()).data ?? []).length > 0);
  const page = await (await fetch(`${url}/dashboard/`)).text();
  const script = /src="([^"]+\.js)"/.exec(page)?.[1];
  expectThat('serves the dashboard', script !== undefined && (await fetch(new URL(script, url))).ok);
  const start = performance.now();
  execFileSync(process.execPath, [program, 'catalog', 'pending'], { env: settings });
  judge('a command next to it', secondsSince(start), { limit: 1.5, unit: 's', isTime: true });
  await pause(IDLE_MS);
  if (process.platform === 'linux') judge('idle memory', residentMegabytes(pid), { limit: 260, unit: 'MB' });
}

try {
  install();
  const settings = { PATH: process.env.PATH, DATA_DIR: join(folder, 'data'), PORT: String(await freePort()) };
  const first = await serve(settings, 'new database');
  await use(first, settings);
  await first.stop();
  const second = await serve(settings, 'existing database');
  await second.stop();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (failures.length > 0) {
  process.stderr.write(`failed: ${failures.join(', ')}\n`);
  process.exitCode = 1;
}
