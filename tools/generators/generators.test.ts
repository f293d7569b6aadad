/** A TypeScript client is generated from the documents of a running service, compiled strictly, and calls it. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openMachine,
  type ServingProcess,
  type TestMachine,
} from '../../packages/server/test/e2e/process.ts';
import { parsePage, savedAs } from '../check-docs/page.ts';

const root = join(import.meta.dirname, '../..');
const guide = 'docs/how-to/generate-a-client.md';
const COMPILE = '--strict --noEmit --target es2022 --module preserve --moduleResolution bundler --types node';
const PATIENCE = { timeout: 180_000 };

let machine: TestMachine;
let service: ServingProcess;
let folder: string;
let program: string;
let printed: string;

/** The exit code and the output of a program, run in the folder of the client. */
const run = async (tool: string, args: readonly string[]): Promise<{ code: number; output: string }> => {
  const env = { ...process.env, URL: service.url, KEY: service.credentials.team_api_key };
  const command = promisify(execFile)(join(root, tool), [...args], { cwd: folder, env });
  return command.then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      output: error.stdout + error.stderr,
    }),
  );
};
const compile = (file: string) =>
  run('packages/dashboard/node_modules/.bin/tsc', [...COMPILE.split(' '), file]);

beforeAll(async () => {
  machine = await openMachine();
  service = await machine.serve();
  folder = await mkdtemp(join(tmpdir(), 'aliquot-generators-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const blocks = parsePage(await readFile(join(root, guide), 'utf8'));
  const at = blocks.findIndex((block) => savedAs(block) === 'client.mts');
  program = blocks[at]?.text ?? '';
  printed = blocks.slice(at).find(({ language }) => language === '')?.text ?? '';
  await writeFile(join(folder, 'client.mts'), program);
}, 180_000);
afterAll(async () => {
  await machine.close();
  await rm(folder, { recursive: true });
});

describe('the TypeScript client of the guide', PATIENCE, () => {
  it('is generated from /openapi.json, compiles strictly, and calls the service', async () => {
    const document = `${service.url}/openapi.json`;
    const generate = 'packages/dashboard/node_modules/.bin/openapi-typescript';
    expect(
      await run(generate, [document, '-o', 'aliquot.d.ts', '--default-non-nullable=false']),
    ).toMatchObject({ code: 0 });
    expect(await compile('client.mts')).toEqual({ code: 0, output: '' });
    expect(await run('node_modules/.bin/tsx', ['client.mts'])).toEqual({ code: 0, output: `${printed}\n` });
  });

  it('does not compile with a field, a value or a path that the API lacks', async () => {
    const wrong = [
      `order.identifier;`,
      `labTests.data?.filter(({ method }) => method === 'by_mail');`,
      `void api.GET('/v3/orderz', {});`,
    ];
    await writeFile(join(folder, 'wrong.mts'), [program, ...wrong].join('\n'));
    const { output } = await compile('wrong.mts');
    const lines = [...output.matchAll(/^wrong\.mts\((\d+),/gm)].map(([, line]) => Number(line));
    const first = program.split('\n').length + 1;
    expect(lines).toEqual([first, first + 1, first + 2]);
  });
});
