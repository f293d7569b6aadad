import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { openApp, planMigrations, seedShippedData, type BootOptions } from '../service.ts';

export function migrateCommand(program: Command, ground: (level?: string) => BootOptions): void {
  program
    .command('migrate')
    .description('Migrate the database to the latest schema and exit; serve does the same at start')
    .option('--plan', 'only print what would be applied; exits with 2 if there is something')
    .action(async ({ plan = false }: { plan?: boolean }) =>
      plan ? printPlan(ground('warn')) : migrateNow(ground()),
    );
}

async function migrateNow(boot: BootOptions): Promise<void> {
  const opened = await openApp(boot);
  try {
    await seedShippedData(opened);
    process.stdout.write('The database schema is up to date.\n');
  } finally {
    await opened.close();
  }
}

/** Exit code for scripts: there is something to apply. */
const PENDING_EXIT_CODE = 2;

/** Each migration with the comment at its beginning, which says what it does. Nothing is started or changed. */
async function printPlan(boot: BootOptions): Promise<void> {
  const pending = await planMigrations(boot);
  if (pending.length === 0) {
    process.stdout.write('The database schema is up to date.\n');
    return;
  }
  process.stdout.write(`${pending.length} migrations would be applied, in one transaction:\n\n`);
  for (const name of pending) {
    const text = await readFile(new URL(`migrations/${name}.sql`, boot.root), 'utf8');
    process.stdout.write(`${name}\n${commentOf(text)}\n`);
  }
  process.exitCode = PENDING_EXIT_CODE;
}

const commentOf = (text: string): string => {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('--'));
  return lines
    .slice(0, end)
    .map((line) => `    ${line.replace(/^--\s?/, '')}\n`)
    .join('');
};
