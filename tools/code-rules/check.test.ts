import { describe, expect, it } from 'vitest';
import { checkFile } from './check.ts';

const SLICE = 'packages/server/src/users/users/users.ts';
/** `line rule` of every breach. */
const breaches = (source: string, path = SLICE) =>
  checkFile(path, source).map((line) => /:(\d+): ([\w-]+):/.exec(line)?.slice(1, 3).join(' '));

interface Row {
  source: string;
  path?: string;
  finds: string[];
}

// prettier-ignore
const rows: Row[] = [
  // the clock
  { source: 'const a = new Date();',                           finds: ['1 clock'] },
  { source: 'const a = new Date( );\nconst b = Date.now();',   finds: ['1 clock', '2 clock'] },
  { source: 'const a = Date();\nconst b = new Date;',          finds: ['1 clock', '2 clock'] },
  { source: 'const clock = Date.now;',                         finds: ['1 clock'] },
  { source: 'const a = new Date(text);',                       finds: [] },
  { source: 'now: () => Date; type X = new (a: Date) => Date', finds: [] },
  { source: '// new Date()\nconst a = "Date.now()";',          finds: [] },
  { source: 'const a = `at ${new Date()}`;',                   finds: ['1 clock'] },
  { source: 'x.isoDate(); dueDate();',                         finds: [] },
  { source: 'new Date();', path: 'packages/server/src/platform/clock.ts',      finds: [] },
  { source: 'new Date();', path: 'bench/orders.ts',            finds: [] },
  // the environment
  { source: 'process.env.PORT',                                finds: ['1 config'] },
  { source: 'const { env } = process;',                        finds: ['1 config'] },
  { source: `import { env } from 'node:process';`,             finds: ['1 config'] },
  { source: 'process.exit(1);',                                finds: [] },
  { source: 'process.env', path: 'packages/server/src/platform/config.ts',     finds: [] },
  { source: 'process.env', path: 'packages/server/test/database.ts',           finds: [] },
  // the outside
  { source: 'await fetch(url);',                               finds: ['1 outside'] },
  { source: 'globalThis.fetch(url);',                          finds: ['1 outside'] },
  { source: 'cache.fetch(key); prefetch(key);',                finds: [] },
  { source: `import { Agent } from 'undici';`,                 finds: ['1 outside'] },
  { source: 'fetch(url)', path: 'packages/server/src/adapters/courier/http.ts', finds: [] },
  { source: 'fetch(url)', path: 'packages/server/src/delivery/webhooks/deliver.ts',     finds: [] },
  { source: 'fetch(url)', path: 'packages/server/src/cli/demo.ts',             finds: [] },
  { source: 'fetch(url)', path: 'packages/server/src/users/users/users.test.ts',     finds: [] },
  // SQL
  { source: `import { sql } from 'kysely';`,                   finds: ['1 sql'] },
  { source: `import { type A, sql } from 'kysely';`,           finds: ['1 sql'] },
  { source: `import pg from 'pg';`,                            finds: ['1 sql'] },
  { source: `const pg = await import('pg');`,                  finds: ['1 sql'] },
  { source: `import {\n  type A,\n  type B,\n} from 'kysely';`, finds: [] },
  { source: `import type { Generated } from 'kysely';`,        finds: [] },
  { source: `let a: import('pg').Pool;`,                       finds: [] },
  { source: `import { a } from './pg.ts';`,                    finds: [] },
  { source: `// import pg from 'pg';`,                         finds: [] },
  { source: `import pg from 'pg'`, path: 'packages/server/src/users/users/store.ts', finds: [] },
  { source: `import pg from 'pg'`, path: 'packages/server/src/users/restore.ts', finds: ['1 sql'] },
  { source: `import pg from 'pg'`, path: 'packages/server/src/platform/db/connection.ts', finds: [] },
  // private interfaces of libraries
  { source: 'new pg.Query(text)', path: 'packages/server/test/a.ts',           finds: ['1 private'] },
  { source: 'kysely\n.getExecutor()',                          finds: ['2 private'] },
  { source: 'client.connection.stream.cork()',                 finds: ['1 private'] },
  { source: 'new pg.Query(text)', path: 'packages/server/src/platform/db/fast/a.ts', finds: [] },
  { source: 'connection.query(text)',                          finds: [] },
  { source: `'from graphile_worker._private_jobs'`, path: 'packages/server/test/a.ts', finds: ['1 queue-tables'] },
  { source: `'from graphile_worker._private_jobs'`, path: 'packages/server/test/queue-tables.ts', finds: [] },
  { source: `'from graphile_worker.jobs'`,                     finds: [] },
  // names
  { source: 'export interface IOrder {}',                      finds: ['1 interface'] },
  { source: 'type IUser = string;',                            finds: ['1 interface'] },
  { source: 'interface Interval {}\ninterface ICDCode {}',     finds: [] },
  { source: `export * from './a.ts';`,                         finds: ['1 barrel'] },
  { source: `export * as all from './a.ts';`,                  finds: [] },
  { source: '', path: 'packages/server/src/users/index.ts',                    finds: ['1 name'] },
  { source: '', path: 'packages/server/src/utils/text.ts',                     finds: ['1 name'] },
  { source: '', path: 'packages/server/src/users/testHelpers.ts',              finds: ['1 name'] },
  { source: '', path: 'test/common.ts',                        finds: ['1 name'] },
  { source: '', path: 'packages/server/src/users/user-manager.ts',             finds: ['1 name'] },
  { source: '', path: 'packages/server/src/users/user-service.ts',             finds: ['1 name'] },
  { source: '', path: 'packages/server/src/management/service.ts',             finds: [] },
];

describe('a file', () => {
  it.each(rows)('$source in $path', ({ source, path, finds }) => {
    expect(breaches(source, path)).toEqual(finds);
  });
});

// prettier-ignore
const inWork: Row[] = [
  { source: 'inTenant(app, t, async (work) => {\n  app.post(1);\n});\napp.bell();', finds: ['2 work'] },
  { source: 'inTenant(app, t, (work) => app.find(work)); app.x();',         finds: ['1 work'] },
  { source: 'inTenant(app, t, work => app.x());',                           finds: ['1 work'] },
  { source: 'inTenant(app, t, async (work) => {\n  a(work);\n});\napp.x();', finds: [] },
  { source: 'function move(work: Work, app: App) {\n  app.x();\n}',         finds: ['2 work'] },
  { source: 'async function move<T>(work: Work): Promise<{ a: T }> {\n app?.x();\n}', finds: ['2 work'] },
  { source: 'const a = (work: Work, id: string): Promise<string> => app.x(id);', finds: ['1 work'] },
  { source: 'const a = ({ tx, now }: Work, id: string) => {\n app.x(id);\n};', finds: ['2 work'] },
  { source: 'const job = {\n  gaveUp(work, { id }) {\n    app.x();\n  },\n  run(app) { app.x(); },\n};', finds: ['3 work'] },
  { source: 'const job = { gaveUp: (work, id) => store.mark(work, id), run: () => app.x() };', finds: [] },
  { source: 'const a = found ? find(work, 1) : app.x();',                   finds: [] },
  { source: 'const a = find(work);\n{ app.x(); }',                          finds: [] },
  { source: 'if (work) { app.x(); }',                                       finds: [] },
  { source: 'interface Room { open(work: Work): Promise<void>; }\napp.x();', finds: [] },
  { source: 'type Run = (work: Work) => Promise<void>;\napp.x();',          finds: [] },
  { source: 'const a = (work: Work) => `at ${app.x}`;',                     finds: ['1 work'] },
  { source: 'const a = (work: Work) => "app.x"; // app.x',                  finds: [] },
  { source: 'const a = (work: Work) => my.app.x + wrap.x;',                 finds: [] },
  { source: 'function a(app: App, work: Work) { app.x(); }',                finds: [] },
  { source: 'const a = (work: Work) => { const r = /[{"]/; };\napp.x();',   finds: [] },
  { source: 'const a = (work: Work): { b: string } | undefined => {\n app.x();\n};', finds: ['2 work'] },
  { source: 'run((work) => { app.x(); });', path: 'packages/server/src/users/users/users.test.ts', finds: [] },
];

describe('inside a piece of work', () => {
  it.each(inWork)('$source', ({ source, path, finds }) => {
    expect(breaches(source, path)).toEqual(finds);
  });
});

it('says where, which rule and why', () => {
  expect(checkFile(SLICE, '\nnew Date();')).toEqual([
    'packages/server/src/users/users/users.ts:2: clock: the time comes from work.now or a Clock; only platform/clock.ts reads the system clock',
  ]);
});
