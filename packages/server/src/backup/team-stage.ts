import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { App } from '../app.ts';
import type { BackupHeader } from './header.ts';
import { assertComplete, parseEntryName, readEntries, type BackupSource } from './inspect.ts';
import { KEYS_ENTRY, BackupManifest, BackupTrailer, requireSameMigrations } from './manifest.ts';
import { RowDigest } from './row-digest.ts';
import { KEPT_TABLES, MERGED_TABLES, REPLACED_TABLES } from './team-rules.ts';
import { columnListOf, qualifiedNameOf, quoteIdentifier, type TableDefinition } from './tables.ts';

/** The rows of one team in a backup, in temporary tables of this connection. */
export interface StagedTeam {
  readonly header: BackupHeader;
  readonly manifest: BackupManifest;
  /** The tables that have rows of the team, by name. */
  readonly tables: ReadonlyMap<string, TableDefinition>;
  /** Data keys that are newer than the rows, as JSON. */
  readonly laterKeys: string;
  /** The storage keys of the team's files. */
  readonly files: readonly string[];
}

/** The temporary table with the rows of a table. */
export const stagedNameOf = (table: string): string => quoteIdentifier(`staged_${table}`);

/** The queue's tables that say which jobs waited. Of the jobs, more rows than those of the team may be staged. */
export const STAGED_JOBS = '_private_jobs';
export const STAGED_TASKS = '_private_tasks';

const NEWLINE = 10;

/**
 * Reads a backup completely, checks it against its trailer, and keeps the rows of one team. Changes nothing but
 * temporary tables. Throws if the backup was made by another version, or has no such team.
 */
export async function stageTeam(
  app: App,
  client: pg.ClientBase,
  { source, teamId }: { source: BackupSource; teamId: string },
): Promise<StagedTeam> {
  const staging = new Staging(client, teamId);
  const header = await readEntries(source(), app.keyring.providers, (name, bytes) =>
    staging.handleEntry(name, bytes),
  );
  return { header, ...staging.finish() };
}

class Staging {
  readonly #client: pg.ClientBase;
  readonly #teamId: string;
  #manifest: BackupManifest | undefined;
  #end: BackupTrailer | undefined;
  #open: { index: number; table: TableDefinition; copy: Writable | undefined; rest: Buffer } | undefined;
  readonly #digests: RowDigest[] = [];
  readonly #tables = new Map<string, TableDefinition>();
  readonly #teams: string[] = [];
  readonly #files = new Set<string>();
  readonly #ownFiles = new Set<string>();
  #laterKeys = '[]';

  constructor(client: pg.ClientBase, teamId: string) {
    this.#client = client;
    this.#teamId = teamId;
  }

  async handleEntry(name: string, bytes: Buffer): Promise<void> {
    const { kind, subject } = parseEntryName(name);
    if (kind === 'table') return this.#stage(Number(subject), bytes);
    await this.#closeTable();
    if (name === 'manifest.json') {
      this.#manifest = BackupManifest.parse(JSON.parse(bytes.toString()));
      await requireSameMigrations(this.#client, this.#manifest, WHAT_TO_DO);
    } else if (kind === 'file') {
      this.#files.add(subject);
      if (isFileOfTeam(subject, this.#teamId)) this.#ownFiles.add(subject);
    } else if (name === KEYS_ENTRY) this.#laterKeys = bytes.toString();
    else if (name === 'end.json') this.#end = BackupTrailer.parse(JSON.parse(bytes.toString()));
  }

  async #stage(index: number, bytes: Buffer): Promise<void> {
    if (this.#open?.index !== index) {
      await this.#closeTable();
      const table = this.#manifest?.tables[index];
      if (!table) throw new Error('The backup contains a table that is not in its manifest');
      this.#digests[index] = new RowDigest();
      this.#open = { index, table, copy: await this.#openCopy(table), rest: Buffer.alloc(0) };
    }
    this.#digests[index]?.update(bytes);
    const { table, copy, rest } = this.#open;
    if (!copy && table.name !== 'team') return;
    const whole = Buffer.concat([rest, bytes]);
    const end = whole.lastIndexOf(NEWLINE) + 1;
    this.#open.rest = whole.subarray(end);
    const kept = this.#filter(table, whole.subarray(0, end));
    if (copy && kept.length > 0) await write(copy, kept);
  }

  /** Opens the temporary table of a table with rows of the team. */
  async #openCopy(table: TableDefinition): Promise<Writable | undefined> {
    if (!isStaged(table)) return undefined;
    const name = stagedNameOf(table.name);
    await this.#client.query(
      `create temp table ${name} as select ${columnListOf(table)} from ${qualifiedNameOf(table)} with no data`,
    );
    this.#tables.set(table.name, table);
    const copy = this.#client.query(copyFrom(`copy ${name} (${columnListOf(table)}) from stdin`));
    // The failure itself is thrown where it happened.
    copy.on('error', () => {});
    return copy;
  }

  /** The lines of the team. */
  #filter(table: TableDefinition, lines: Buffer): Buffer {
    if (table.name === STAGED_TASKS) return lines;
    const column = table.columns.indexOf(table.name === 'team' ? 'id' : 'team_id');
    const kept: Buffer[] = [];
    for (let from = 0; from < lines.length;) {
      const next = lines.indexOf(NEWLINE, from) + 1;
      const line = lines.subarray(from, next);
      if (table.name === 'team') this.#teams.push(describeTeam(table, line));
      // A job names its team in its payload, which is looked at later.
      const isKept = line.includes(this.#teamId) && (column < 0 || fieldOf(line, column) === this.#teamId);
      if (isKept) kept.push(line);
      from = next;
    }
    return Buffer.concat(kept);
  }

  async #closeTable(): Promise<void> {
    const copy = this.#open?.copy;
    this.#open = undefined;
    if (!copy) return;
    copy.end();
    await finished(copy);
  }

  finish(): Omit<StagedTeam, 'header'> {
    const { manifest } = assertComplete({
      manifest: this.#manifest,
      end: this.#end,
      digests: this.#digests,
      files: this.#files.size,
    });
    if (!this.#teams.some((line) => line.startsWith(this.#teamId))) {
      const all = this.#teams.map((line) => `  ${line}`).join('\n');
      throw new Error(`The backup has no team ${this.#teamId}. Its teams are:\n${all}`);
    }
    return { manifest, tables: this.#tables, laterKeys: this.#laterKeys, files: [...this.#ownFiles] };
  }
}

const WHAT_TO_DO =
  'install that version and restore the backup with it into an empty database, migrate that, back it up, and restore ' +
  'the team from that backup';

const isStaged = ({ schema, name }: TableDefinition): boolean =>
  schema === 'public'
    ? (REPLACED_TABLES.includes(name) || name in MERGED_TABLES) && !(name in KEPT_TABLES)
    : name === STAGED_JOBS || name === STAGED_TASKS;

const fieldOf = (line: Buffer, column: number): string | undefined =>
  line.toString('latin1').replace('\n', '').split('\t')[column];

/** The id of a team and its name. */
function describeTeam({ columns }: TableDefinition, line: Buffer): string {
  const fields = line.toString().replace('\n', '').split('\t');
  return `${fields[columns.indexOf('id')]} ${fields[columns.indexOf('name')]}`;
}

/** The key of a file is `folder/team/environment/id`. */
const isFileOfTeam = (key: string, teamId: string): boolean => key.split('/')[1] === teamId;

const write = (copy: Writable, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    copy.once('error', reject);
    copy.write(bytes, () => {
      copy.off('error', reject);
      resolve();
    });
  });
