/** Runs the blocks of one page in order, and compares what they print with what the page shows. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findMissing } from './compare.ts';
import { kindOf, savedAs, type DocsBlock } from './page.ts';
import { openSession, type ShellSession } from './session.ts';
import { makeWorkspace, type Workspace } from './workspace.ts';

export interface PageReport {
  readonly page: string;
  run: number;
  compared: number;
  readonly skipped: string[];
  readonly failures: string[];
}

interface PageRun {
  readonly root: string;
  readonly page: string;
  readonly blocks: readonly DocsBlock[];
  /** What the page begins with; pages that start a service themselves have none. */
  readonly prepared: PreparedService | undefined;
}

/** The service that the guides share. */
interface PreparedService {
  readonly workspace: Workspace;
  /** The commands that set the variables of the examples. */
  readonly variables: string;
}

interface RunningPage {
  readonly session: ShellSession;
  readonly workspace: Workspace;
  readonly report: PageReport;
  /** What printed last, and by which commands. */
  last: { readonly block: DocsBlock; readonly read: () => string } | undefined;
  readonly background: Map<string, () => string>;
}

const START_SECONDS = 120;
const OUTPUT_SECONDS = 30;

export async function runPage({ root, page, blocks, prepared }: PageRun): Promise<PageReport> {
  const report: PageReport = { page, run: 0, compared: 0, skipped: [], failures: [] };
  if (!hasRuns(blocks)) {
    for (const block of blocks) noteUnrun(block, report);
    return report;
  }
  const folder = await mkdtemp(join(tmpdir(), 'check-docs-'));
  const workspace = prepared?.workspace ?? (await makeWorkspace(root, folder));
  const session = openSession(workspace);
  const running: RunningPage = { session, workspace, report, last: undefined, background: new Map() };
  try {
    if (prepared) await setVariables(running, prepared);
    for (const block of blocks) if (!(await runBlock(running, block))) break;
  } catch (error) {
    report.failures.push(`${page}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await session.end();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return report;
}

export const hasRuns = (blocks: readonly DocsBlock[]): boolean =>
  blocks.some((block) => kindOf(block) === 'command' && reasonToSkip(block) === undefined);

async function setVariables(
  { session, workspace }: RunningPage,
  { variables }: PreparedService,
): Promise<void> {
  const { code, output } = await session.run(workspace.fromPage(variables));
  if (code !== 0) throw new Error(`the variables of the examples: ${output}`);
}

/** Starts a service in an empty folder for `use`, and stops it. */
export async function withService(
  { root, folder }: { readonly root: string; readonly folder: string },
  use: (workspace: Workspace) => Promise<void>,
): Promise<void> {
  const workspace = await makeWorkspace(root, folder);
  const session = openSession(workspace);
  try {
    await startService(session);
    await use(workspace);
  } finally {
    await session.end();
  }
}

async function startService(session: ShellSession): Promise<void> {
  const read = await session.start('npm start');
  await waitFor('the service did not start', () => /INFO.*: serving /.test(read()), START_SECONDS);
}

/** Returns false if the page cannot go on. */
async function runBlock(running: RunningPage, block: DocsBlock): Promise<boolean> {
  const { report } = running;
  const kind = kindOf(block);
  if (kind === 'other') return true;
  if (kind === 'output') return compareBlock(running, block);
  if (noteUnrun(block, report)) {
    running.last = undefined;
    return true;
  }
  const failed = await (kind === 'program' ? saveProgram(running, block) : runCommands(running, block));
  if (failed === undefined) return true;
  report.failures.push(`${report.page}:${block.line}: ${failed}`);
  return false;
}

/** Notes a block that is not run: with its reason, or as a failure when nothing says why. */
function noteUnrun(block: DocsBlock, report: PageReport): boolean {
  const kind = kindOf(block);
  if (kind !== 'command' && kind !== 'program') return false;
  const reason = reasonToSkip(block);
  if (reason !== undefined) report.skipped.push(`${report.page}:${block.line}: ${reason}`);
  else if (kind === 'program' && savedAs(block) === undefined)
    report.failures.push(
      `${report.page}:${block.line}: a program that is neither saved nor marked: write "Save this as \`NAME\`", or why it is skipped`,
    );
  else return false;
  return true;
}

function reasonToSkip({ marks, language }: DocsBlock): string | undefined {
  if (marks.skip !== undefined) return marks.skip;
  if (language === 'powershell') return 'needs Windows';
  const missing = (marks.needs ?? '').split(/[\s,]+/).find((name) => name !== '' && !isInstalled(name));
  return missing === undefined ? undefined : `needs ${missing}, which this machine does not have`;
}

function isInstalled(name: string): boolean {
  try {
    execFileSync('which', [name], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Writes the program into the folder in which the commands are at this moment. */
async function saveProgram(running: RunningPage, block: DocsBlock): Promise<string | undefined> {
  const { workspace, session, report } = running;
  const { output } = await session.run('pwd');
  await writeFile(join(output.trim(), savedAs(block) ?? ''), `${workspace.fromPage(block.text)}\n`);
  report.run += 1;
  return undefined;
}

async function runCommands(running: RunningPage, block: DocsBlock): Promise<string | undefined> {
  const { session, workspace, report } = running;
  const { before, background } = block.marks;
  if (before !== undefined) {
    const { code, output } = await session.run(workspace.fromPage(before));
    if (code !== 0) return `what comes before it ended with ${code}:\n${indent(output)}`;
  }
  const commands = workspace.fromPage(block.text);
  report.run += 1;
  if (background !== undefined) {
    const read = await session.start(commands);
    for (const line of block.text.split('\n')) running.background.set(line.trim(), read);
    running.last = { block, read };
    const until = /^until (.+)$/.exec(background)?.[1];
    if (until !== undefined)
      await waitFor(`"${until}" was not printed`, () => read().includes(until), START_SECONDS);
    return undefined;
  }
  const { code, output } = await session.run(commands);
  running.last = { block, read: () => output };
  return code === 0 ? undefined : `ended with ${code}:\n${indent(output)}`;
}

async function compareBlock(running: RunningPage, block: DocsBlock): Promise<boolean> {
  const { report, last, background, workspace } = running;
  const { marks, text } = block;
  if (marks.skip !== undefined) {
    report.skipped.push(`${report.page}:${block.line}: ${marks.skip}`);
    return true;
  }
  const named = marks['output of'];
  const read =
    named === undefined
      ? last?.block.section === block.section
        ? last.read
        : undefined
      : background.get(named);
  if (named !== undefined && !read) {
    report.failures.push(`${report.page}:${block.line}: "${named}" was not started`);
    return false;
  }
  if (!read) return true;
  const expected = { text, vary: marks.vary, anyOrder: marks['any order'] !== undefined };
  const missing = () => findMissing(expected, workspace.toPage(read()));
  await waitFor(
    '',
    () => missing() === undefined,
    last?.block.marks.background === undefined && named === undefined ? 0 : OUTPUT_SECONDS,
  ).catch(() => {});
  report.compared += 1;
  const line = missing();
  if (line !== undefined)
    report.failures.push(
      `${report.page}:${block.line}: did not come: ${line}\n${indent(workspace.toPage(read()))}`,
    );
  return true;
}

async function waitFor(fault: string, isThere: () => boolean, seconds: number): Promise<void> {
  for (let waited = 0; !isThere(); waited += 1) {
    if (waited >= seconds * 10) throw new Error(`${fault} within ${seconds} s`);
    await sleep(100);
  }
}

const indent = (text: string): string =>
  text
    .trim()
    .split('\n')
    .slice(-25)
    .map((line) => `    ${line}`)
    .join('\n');
