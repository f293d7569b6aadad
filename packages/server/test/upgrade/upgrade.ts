/**
 * `npm run upgrade-test [-- --from REVISION] [--seconds N]`: runs the previous version and this one next to each other on one
 * PostgreSQL while clients create users and orders, read them, and move them on, and a receiver takes the webhooks. The
 * old API and worker run; this version migrates; its processes start; the old ones are drained and stopped. No request may fail, no
 * event may be lost or doubled, and every order must be completed. REVISION is a revision of this repository: by default
 * the last release, or, before the first one, the state before the newest migration. Exits with 1 on any finding.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openBuild } from '../../../../tools/build.mjs';
import { withCleanup, type CleanupTasks } from '../../../../tools/stage/cleanup.ts';
import { buildRevision, findPreviousRevision, thisCheckout, type BuiltCheckout } from './previous-version.ts';
import { auditUpgrade } from './upgrade-audit.ts';
import { startUpgradeLoad, type UpgradeLoad } from './upgrade-load.ts';
import { openUpgradeStage, type UpgradeStage } from './upgrade-stage.ts';

const FINDINGS_SHOWN = 20;

const { values } = parseArgs({
  options: { from: { type: 'string' }, seconds: { type: 'string', default: '10' } },
});
const phaseMs = Number(values.seconds) * 1000;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

interface UpgradeVersions {
  readonly from: BuiltCheckout;
  readonly to: BuiltCheckout;
}

async function buildVersions(cleanups: CleanupTasks): Promise<UpgradeVersions> {
  const revision = values.from ?? (await findPreviousRevision());
  const from = await buildRevision(revision, cleanups);
  const build = await openBuild();
  cleanups.push(async () => build.release());
  const to = await thisCheckout();
  const between = to.migrations.filter((name) => !from.migrations.includes(name));
  print(`from ${from.name}`);
  print(
    `to ${to.name}, with ${between.length} migrations in between${between.length === 0 ? '' : `: ${between.join(', ')}`}`,
  );
  return { from, to };
}

/** The upgrade itself, under load. */
async function playUpgrade(stage: UpgradeStage, { from, to }: UpgradeVersions): Promise<UpgradeLoad> {
  // A first start fills the database, which takes long on a slow machine.
  await stage.migrate(from);
  const old = await stage.start(from);
  await stage.manage('/webhook', { url: stage.receiver.url });
  const load = await startUpgradeLoad({ url: stage.balancer.url, teamKey: stage.teamKey() });
  const phase = (name: string) =>
    print(
      `${name}: ${load.requests()} requests so far, ${load.failures.length} failed ${load.failures.at(-1) ?? ''}`,
    );
  try {
    await sleep(phaseMs);
    phase('the old version alone');
    print(await stage.migrate(to));
    await sleep(phaseMs);
    phase('the old version on the new schema');
    await stage.start(to);
    await sleep(phaseMs);
    phase('both versions');
    await stage.stop(from, old);
    await sleep(phaseMs);
    phase('the new version alone');
  } finally {
    await load.stop();
  }
  return load;
}

async function run(): Promise<number> {
  return withCleanup(
    async (cleanups) => ({
      versions: await buildVersions(cleanups),
      stage: await openUpgradeStage(cleanups),
    }),
    async ({ versions, stage }) => {
      const load = await playUpgrade(stage, versions);
      const audit = await auditUpgrade(stage, load);
      for (const line of [...load.failures, ...audit.findings].slice(0, FINDINGS_SHOWN)) print(line);
      for (const { name, served } of stage.balancer.backends)
        print(`${served} requests were answered by ${name}`);
      print(
        `${load.finished.size} orders, ${audit.events} events, ${audit.deliveries} deliveries, redelivered with the same id ${audit.redelivered}`,
      );
      print(
        `upgrade: ${load.requests()} requests, failed ${load.failures.length}, lost, doubled or wrong ${audit.findings.length}`,
      );
      return load.failures.length + audit.findings.length;
    },
  );
}

process.exitCode = (await run()) === 0 ? 0 : 1;
