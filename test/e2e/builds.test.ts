import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { copyCheckout, type Checkout } from './checkout.ts';
import { smallProgram } from './small-program.ts';

/** Of the small program: its part, two threads and a child process. */
const allSaying = (text: string) => `${text} ${text} ${text} ${text}\n`;
const well = (text: string) => ({ code: 0, stdout: allSaying(text), stderr: '' });

let checkout: Checkout;
afterEach(() => checkout.close());

const openSmall = async (text = 'first') => {
  checkout = await copyCheckout(smallProgram(text));
};
const change = async (text: string) => {
  for (const [file, source] of Object.entries(smallProgram(text))) await checkout.write(file, source);
};
const started = () => checkout.start().ended;

/** Runs before tools/start.mjs and replaces a function of node:fs/promises. */
const preload = (source: string) => {
  const module = `import fs from 'node:fs/promises'; import { syncBuiltinESMExports } from 'node:module'; ${source} syncBuiltinESMExports();`;
  return ['--import', `data:text/javascript,${encodeURIComponent(module)}`];
};
const stopsBeforeRename = preload(
  `fs.rename = () => { console.log('built'); return new Promise(() => setInterval(() => {}, 1000)); };`,
);

/** As many newer builds as are kept without being in use. */
const addNewerBuilds = async () => {
  const later = Date.now() / 1000 + 60;
  for (let number = 0; number < 10; number += 1) {
    const folder = `dist/${String(number).padStart(20, '0')}`;
    await checkout.write(join(folder, 'aliquot.js'), '');
    await utimes(join(checkout.root, folder), later, later);
  }
};

describe('three processes that start together without a build', () => {
  it.each(Array.from({ length: 10 }, (_, index) => index + 1))(
    'all run, and leave one build: round %i',
    async () => {
      await openSmall();
      const all = await Promise.all([started(), started(), started()]);
      expect(all).toMatchObject([well('first'), well('first'), well('first')]);
      expect(await checkout.dist()).toMatchObject({
        builds: [expect.any(String)],
        leases: [],
        temporary: [],
        others: [],
      });
    },
  );
});

describe('a build', () => {
  /** Of Node itself: nothing may be written, whoever runs it. The child process and threads are those of the small program. */
  const readOnly = [
    process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission',
    '--allow-fs-read=*',
    '--allow-child-process',
    '--allow-worker',
    '--no-warnings',
  ];

  it('starts from a checkout that cannot be written', async () => {
    await openSmall();
    expect(await started()).toMatchObject(well('first'));
    expect(await checkout.start(readOnly).ended).toMatchObject(well('first'));
  });

  it('that is missing in a checkout that cannot be written is asked for', async () => {
    await openSmall();
    const { code, stderr } = await checkout.start(readOnly).ended;
    expect(code).toBe(1);
    expect(stderr).toContain('dist/ has no build of these sources and cannot be written (ERR_ACCESS_DENIED)');
  });

  it('is found again when the sources are again what they were, and bin/aliquot.js runs the last one', async () => {
    await openSmall();
    expect(await started()).toMatchObject(well('first'));
    await change('second');
    expect(await checkout.command().ended).toMatchObject(well('first'));
    expect(await started()).toMatchObject(well('second'));
    expect(await checkout.command().ended).toMatchObject(well('second'));
    const { builds } = await checkout.dist();
    expect(builds).toHaveLength(2);
    await change('first');
    expect(await started()).toMatchObject(well('first'));
    expect(await checkout.command().ended).toMatchObject(well('first'));
    expect((await checkout.dist()).builds).toEqual(builds);
  });

  it('has the name of its own sources when they were changed while it was made', async () => {
    await openSmall();
    const part = JSON.stringify(join(checkout.root, 'src/part.ts'));
    const changing = preload(
      `const { mkdir, appendFile } = fs;
       fs.mkdir = async (...args) => {
         fs.mkdir = mkdir;
         syncBuiltinESMExports();
         const made = await mkdir(...args);
         await appendFile(${part}, '/* changed */');
         return made;
       };`,
    );
    expect(await checkout.start(changing).ended).toMatchObject(well('first'));
    const { builds } = await checkout.dist();
    expect(builds).toHaveLength(1);
    expect(await started()).toMatchObject(well('first'));
    expect((await checkout.dist()).builds).toEqual(builds);
    await checkout.write('src/part.ts', smallProgram('first')['src/part.ts'] ?? '');
    expect(await started()).toMatchObject(well('first'));
    expect((await checkout.dist()).builds).toHaveLength(2);
  });

  it('that a killed process has begun is removed by the next one', async () => {
    await openSmall();
    const killed = checkout.start(stopsBeforeRename);
    await killed.says(/^built$/m);
    // It is still running, so its folder stays.
    expect(await started()).toMatchObject(well('first'));
    expect((await checkout.dist()).temporary).toHaveLength(1);
    killed.child.kill('SIGKILL');
    await killed.ended;
    await change('second');
    expect(await started()).toMatchObject(well('second'));
    expect(await checkout.dist()).toMatchObject({ leases: [], temporary: [], others: [] });
  });
});

describe('an old build', () => {
  it('stays as long as a process runs from it, and goes when that was killed', async () => {
    await openSmall();
    await checkout.write('wait', '');
    const [first, killed] = [checkout.start(), checkout.start()];
    await Promise.all([first.says(/waiting/), killed.says(/waiting/)]);
    const [old = ''] = (await checkout.dist()).builds;
    await addNewerBuilds();
    await change('second');
    const second = checkout.start();
    await second.says(/waiting/);
    expect((await checkout.dist()).builds).toContain(old);
    first.child.kill('SIGUSR2');
    expect((await first.ended).stdout).toBe(`waiting\n${allSaying('first')}`);

    killed.child.kill('SIGKILL');
    await killed.ended;
    await change('third');
    const third = checkout.start();
    await third.says(/waiting/);
    expect((await checkout.dist()).builds).not.toContain(old);
    for (const { child } of [second, third]) child.kill('SIGUSR2');
    expect((await second.ended).stdout).toBe(`waiting\n${allSaying('second')}`);
    expect((await third.ended).stdout).toBe(`waiting\n${allSaying('third')}`);
    expect((await checkout.dist()).leases).toEqual([]);
  });

  it('stays for a month when another machine uses it', async () => {
    await openSmall();
    await started();
    const [old = ''] = (await checkout.dist()).builds;
    const lease = `dist/leases/${old},use,elsewhere,1,0`;
    await checkout.write(lease, '');
    await addNewerBuilds();
    await change('second');
    await started();
    expect((await checkout.dist()).builds).toContain(old);
    const long = Date.now() / 1000 - 31 * 86_400;
    await utimes(join(checkout.root, lease), long, long);
    await change('third');
    await started();
    const { builds, leases } = await checkout.dist();
    expect(builds).not.toContain(old);
    expect(leases).toEqual([]);
  });

  it('is not used by a process that starts while it is removed', async () => {
    await openSmall();
    await started();
    const [old = ''] = (await checkout.dist()).builds;
    await checkout.write(`dist/leases/${old},removal,elsewhere,1,0`, '');
    expect(await started()).toMatchObject(well('first'));
    expect((await checkout.dist()).builds.toSorted()).toEqual([old, `${old}-1`]);
    // What bin/aliquot.js finds is in nobody's way.
    expect(await checkout.command().ended).toMatchObject(well('first'));
  });
});
