import { chmod, mkdir, mkdtemp, readlink, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findPackage, prepareBinaries } from './binaries.ts';

const folders: string[] = [];

afterAll(() => Promise.all(folders.map((path) => rm(path, { recursive: true }))));

/** A package as npm unpacks it without its postinstall script. */
async function unpacked(): Promise<{ from: string; home: string }> {
  const root = await mkdtemp(join(tmpdir(), 'aliquot-binaries-'));
  folders.push(root);
  const [from, home] = [join(root, 'package'), join(root, 'home')];
  await mkdir(join(from, 'native', 'bin'), { recursive: true });
  await mkdir(join(from, 'native', 'lib'));
  await mkdir(home);
  await writeFile(join(from, 'package.json'), '{ "version": "18.4.0-beta.17" }');
  await writeFile(join(from, 'native', 'bin', 'postgres'), 'program', { mode: 0o700 });
  await writeFile(join(from, 'native', 'lib', 'libpq.so.5.18'), 'library', { mode: 0o600 });
  await writeFile(join(from, 'native', 'lib', 'libpq.a'), 'not needed');
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
  await writeFile(join(from, 'native', 'pg-symlinks.json'), JSON.stringify(links));
  return { from, home };
}

describe('the binaries of PostgreSQL', () => {
  it('report where they are missing, and what to do', async () => {
    await expect(findPackage('sunos', 'x64')).rejects.toThrow(
      /no embedded PostgreSQL on sunos x64.*DATABASE_URL/,
    );
    await expect(findPackage('linux', 'riscv64')).rejects.toThrow(/DATABASE_URL/);
  });

  it('are linked and used in place where that is possible', async () => {
    const { from, home } = await unpacked();
    const { folder, major } = await prepareBinaries(from, home, undefined);
    expect({ folder, major }).toEqual({ folder: join(from, 'native', 'bin'), major: '18' });
    expect(await readlink(join(from, 'native', 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
    expect(await readdir(home)).toEqual([]);
  });

  it('are copied once, readable for all, when the account cannot reach them', async () => {
    const { from, home } = await unpacked();
    await chmod(from, 0o700);
    await mkdir(join(home, 'binaries-17.0.0'));
    const stranger = { name: 'stranger', uid: 54321, gid: 54321 };

    const { folder } = await prepareBinaries(from, home, stranger);
    const copy = join(home, 'binaries-18.4.0-beta.17');
    expect(folder).toBe(join(copy, 'native', 'bin'));
    expect((await stat(join(folder, 'postgres'))).mode & 0o777).toBe(0o755);
    expect(await readdir(join(copy, 'native', 'lib'))).toEqual(['libpq.so.5', 'libpq.so.5.18']);
    expect(await readdir(join(from, 'native', 'lib'))).toEqual(['libpq.a', 'libpq.so.5.18']);
    expect(await readdir(home)).toEqual(['binaries-18.4.0-beta.17']);

    const { ino } = await stat(copy);
    await prepareBinaries(from, home, stranger);
    expect((await stat(copy)).ino).toBe(ino);

    await rm(join(copy, 'native', 'lib', 'libpq.so.5.18'));
    await prepareBinaries(from, home, stranger);
    expect((await stat(join(copy, 'native', 'lib', 'libpq.so.5.18'))).size).toBe(7);
  });
});
