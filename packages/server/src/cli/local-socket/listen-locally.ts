import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { App } from '../../app.ts';
import type { OperationContext, OperationOutput } from '../operations/operation.ts';
import { isOperationName, OPERATIONS } from '../operations/operations.ts';
import { describeDatabase, LocalRequest, type LocalReply } from './protocol.ts';
import { isPrivateFolder, SOCKET_SUFFIX, socketFolderOf } from './socket-folder.ts';

const REQUEST_TIMEOUT_MS = 5_000;

interface LocalSocketOptions extends Pick<OperationContext, 'app' | 'ownerPool'> {
  readonly version: string;
}

/**
 * Lets commands of this user on this machine do their work in the running service: they need no second connection to the
 * database, whose embedded form has one owner, and no start of their own. There is no other credential than to be that
 * user: the socket is in a folder with mode 0700, and no port leads to it. Every process of a service has a socket with a
 * random name, because several may share the data folder; what killed ones left is removed.
 */
export async function listenLocally(options: LocalSocketOptions): Promise<{ stop(): Promise<void> }> {
  const { config, log } = options.app;
  try {
    // Windows has no such sockets: commands open the database there.
    return process.platform === 'win32' ? nothing : await open(config.DATA_DIR, options);
  } catch (error) {
    // The service works without it; a data folder may be on a file system that has no sockets.
    log.warn({ err: error }, 'commands cannot reach this process: no local socket could be opened');
    return nothing;
  }
}

const nothing = { stop: async () => {} };

async function open(dataDir: string, options: LocalSocketOptions): Promise<{ stop(): Promise<void> }> {
  const folder = socketFolderOf(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!(await isPrivateFolder(folder))) throw new Error(`${folder} is not private to this user`);
  await removeStaleSockets(folder);
  const path = join(folder, `${randomBytes(4).toString('hex')}${SOCKET_SUFFIX}`);
  const running = new Set<Promise<void>>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const answered = answer(socket, options).finally(() => running.delete(answered));
    running.add(answered);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  await chmod(path, 0o600);
  return {
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.all(running);
      await closed;
    },
  };
}

/** Nothing listens on a socket that a killed process left. */
async function removeStaleSockets(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(SOCKET_SUFFIX));
  for (const name of names)
    if (!(await canConnect(join(folder, name)))) await rm(join(folder, name), { force: true });
}

const canConnect = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect({ path });
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });

/** Answers one request. It is carried out to its end even if the command is interrupted, as a request of the API is. */
async function answer(socket: Socket, options: LocalSocketOptions): Promise<void> {
  socket.on('error', () => {});
  const send = (reply: LocalReply) => {
    if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`);
  };
  try {
    // Otherwise a connection without a request would hold up the end of the service.
    socket.setTimeout(REQUEST_TIMEOUT_MS, () => socket.destroy());
    const line = await readLine(socket);
    socket.setTimeout(0);
    if (line !== undefined) send(await perform(LocalRequest.parse(JSON.parse(line)), options, send));
  } catch (error) {
    options.app.log.debug({ err: error }, 'a command failed in the service');
    send({ failed: error instanceof Error ? error.message : String(error) });
  } finally {
    socket.end();
  }
}

async function readLine(socket: Socket): Promise<string | undefined> {
  for await (const line of createInterface({ input: socket, crlfDelay: Infinity })) return line;
  return undefined;
}

async function perform(
  request: LocalRequest,
  { app, ownerPool, version }: LocalSocketOptions,
  send: (reply: LocalReply) => void,
): Promise<LocalReply> {
  const refused = findMismatch(request, app, version);
  if (refused !== undefined || !isOperationName(request.operation))
    return { refused: refused ?? `unknown operation ${request.operation}` };
  let code = 0;
  const output: OperationOutput = {
    isTerminal: request.isTerminal,
    isErrorTerminal: request.isErrorTerminal,
    out: (text) => send({ out: Buffer.from(text).toString('base64') }),
    err: (text) => send({ err: text }),
    exitCode: (given) => (code = given),
  };
  const operation = await OPERATIONS[request.operation]();
  app.log.info({ operation: request.operation }, 'a command runs in the service');
  await operation.run({ app, ownerPool, isInService: true, output }, request.input);
  return { exitCode: code };
}

function findMismatch(request: LocalRequest, { config }: App, version: string): string | undefined {
  if (request.version !== version) return `the service is version ${version}`;
  return request.database === describeDatabase(config) ? undefined : 'the service uses another database';
}
