import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { copyCheckout, type Checkout } from './checkout.ts';
import { smallProgram } from './small-program.ts';

/** Output of the small program: of its part, two threads and a child process. */
const outputOfAll = (text: string) => `${text} ${text} ${text} ${text}\n`;
const succeeded = (text: string) => ({ code: 0, stdout: outputOfAll(text), stderr: '' });

let checkout: Checkout;
afterEach(() => checkout.close());

const openSmallCheckout = async (text = 'first') => {
  checkout = await copyCheckout(smallProgram(text));
};
const changeSources = async (text: string) => {
  for (const [file, source] of Object.entries(smallProgram(text))) await checkout.write(file, source);
};
const runToEnd = () => checkout.start().ended;

/** Node flags that run `source` before tools/start.mjs, to replace a function of node:fs/promises. */
const preload = (source: string) => {
  const module = `import fs from 'node:fs/promises'; import { syncBuiltinESMExports } from 'node:module'; ${source} syncBuiltinESMExports();`;
  return ['--import', `data:text/javascript,${encodeURIComponent(module)}`];
};
const stopsBeforeRename = preload(
  `fs.rename = () => { console.log('built'); return new Promise(() => setInterval(() => {}, 1000)); };`,
);

/** Adds as many newer builds as are kept without a lease. */
const addNewerBuilds = async () => {
  const later = Date.now() / 1000 + 60;
  for (let number = 0; number < 10; number += 1) {
    const folder = `packages/server/dist/${String(number).padStart(20, '0')}`;
    await checkout.write(join(folder, 'aliquot.js'), '');
    await utimes(join(checkout.root, folder), later, later);
  }
};

describe('three processes that start together without a build', () => {
  it.each(Array.from({ length: 10 }, (_, index) => index + 1))(
    'all run and leave one build: round %i',
    async () => {
      await openSmallCheckout();
      const all = await Promise.all([runToEnd(), runToEnd(), runToEnd()]);
      expect(all).toMatchObject([succeeded('first'), succeeded('first'), succeeded('first')]);
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
  /** Node's permission flags: no writing, even as root. The small program needs a child process and workers. */
  const readOnly = [
    process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission',
    '--allow-fs-read=*',
    '--allow-child-process',
    '--allow-worker',
    '--no-warnings',
  ];

  it('starts from a read-only checkout', async () => {
    await openSmallCheckout();
    expect(await runToEnd()).toMatchObject(succeeded('first'));
    expect(await checkout.start(readOnly).ended).toMatchObject(succeeded('first'));
  });

  it('that is missing in a read-only checkout is requested in an error', async () => {
    await openSmallCheckout();
    const { code, stderr } = await checkout.start(readOnly).ended;
    expect(code).toBe(1);
    expect(stderr).toContain('dist/ has no build of these sources and cannot be written (ERR_ACCESS_DENIED)');
  });

  it('is reused when the sources are reverted, and packages/server/bin/aliquot.js runs the last one', async () => {
    await openSmallCheckout();
    expect(await runToEnd()).toMatchObject(succeeded('first'));
    await changeSources('second');
    expect(await checkout.command().ended).toMatchObject(succeeded('first'));
    expect(await runToEnd()).toMatchObject(succeeded('second'));
    expect(await checkout.command().ended).toMatchObject(succeeded('second'));
    const { builds } = await checkout.dist();
    expect(builds).toHaveLength(2);
    await changeSources('first');
    expect(await runToEnd()).toMatchObject(succeeded('first'));
    expect(await checkout.command().ended).toMatchObject(succeeded('first'));
    expect((await checkout.dist()).builds).toEqual(builds);
  });

  it('has the name of its own sources if they changed during the build', async () => {
    await openSmallCheckout();
    const part = JSON.stringify(join(checkout.root, 'packages/server/src/part.ts'));
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
    expect(await checkout.start(changing).ended).toMatchObject(succeeded('first'));
    const { builds } = await checkout.dist();
    expect(builds).toHaveLength(1);
    expect(await runToEnd()).toMatchObject(succeeded('first'));
    expect((await checkout.dist()).builds).toEqual(builds);
    await checkout.write(
      'packages/server/src/part.ts',
      smallProgram('first')['packages/server/src/part.ts'] ?? '',
    );
    expect(await runToEnd()).toMatchObject(succeeded('first'));
    expect((await checkout.dist()).builds).toHaveLength(2);
  });

  it('that a killed process left unfinished is removed by the next process', async () => {
    await openSmallCheckout();
    const killed = checkout.start(stopsBeforeRename);
    await killed.waitForOutput(/^built$/m);
    // It is still running, so its folder stays.
    expect(await runToEnd()).toMatchObject(succeeded('first'));
    expect((await checkout.dist()).temporary).toHaveLength(1);
    killed.child.kill('SIGKILL');
    await killed.ended;
    await changeSources('second');
    expect(await runToEnd()).toMatchObject(succeeded('second'));
    expect(await checkout.dist()).toMatchObject({ leases: [], temporary: [], others: [] });
  });
});

describe('an old build', () => {
  it('is kept while a process runs from it, and removed after that process was killed', async () => {
    await openSmallCheckout();
    await checkout.write('wait', '');
    const [first, killed] = [checkout.start(), checkout.start()];
    await Promise.all([first.waitForOutput(/waiting/), killed.waitForOutput(/waiting/)]);
    const [old = ''] = (await checkout.dist()).builds;
    await addNewerBuilds();
    await changeSources('second');
    const second = checkout.start();
    await second.waitForOutput(/waiting/);
    expect((await checkout.dist()).builds).toContain(old);
    first.child.kill('SIGUSR2');
    expect((await first.ended).stdout).toBe(`waiting\n${outputOfAll('first')}`);

    killed.child.kill('SIGKILL');
    await killed.ended;
    await changeSources('third');
    const third = checkout.start();
    await third.waitForOutput(/waiting/);
    expect((await checkout.dist()).builds).not.toContain(old);
    for (const { child } of [second, third]) child.kill('SIGUSR2');
    expect((await second.ended).stdout).toBe(`waiting\n${outputOfAll('second')}`);
    expect((await third.ended).stdout).toBe(`waiting\n${outputOfAll('third')}`);
    expect((await checkout.dist()).leases).toEqual([]);
  });

  it('is kept for a month while another machine uses it', async () => {
    await openSmallCheckout();
    await runToEnd();
    const [old = ''] = (await checkout.dist()).builds;
    const lease = `packages/server/dist/leases/${old},use,elsewhere,1,0`;
    await checkout.write(lease, '');
    await addNewerBuilds();
    await changeSources('second');
    await runToEnd();
    expect((await checkout.dist()).builds).toContain(old);
    const long = Date.now() / 1000 - 31 * 86_400;
    await utimes(join(checkout.root, lease), long, long);
    await changeSources('third');
    await runToEnd();
    const { builds, leases } = await checkout.dist();
    expect(builds).not.toContain(old);
    expect(leases).toEqual([]);
  });

  it('is not used by a process that starts during its removal', async () => {
    await openSmallCheckout();
    await runToEnd();
    const [old = ''] = (await checkout.dist()).builds;
    await checkout.write(`packages/server/dist/leases/${old},removal,elsewhere,1,0`, '');
    expect(await runToEnd()).toMatchObject(succeeded('first'));
    expect((await checkout.dist()).builds.toSorted()).toEqual([old, `${old}-1`]);
    // packages/server/bin/aliquot.js still finds a usable build.
    expect(await checkout.command().ended).toMatchObject(succeeded('first'));
  });
});
