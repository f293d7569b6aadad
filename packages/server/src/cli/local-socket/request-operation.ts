import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { OperationOutput } from '../operations/operation.ts';
import { LocalReply, type LocalRequest } from './protocol.ts';
import { isPrivateFolder, SOCKET_SUFFIX, socketFolderOf } from './socket-folder.ts';

/**
 * Lets a running service of this data folder carry out an operation. Returns false if none does: there is none, it is of
 * another version or uses another database. Throws if the operation fails.
 */
export async function requestOperation(
  dataDir: string,
  request: LocalRequest,
  output: OperationOutput,
): Promise<boolean> {
  const folder = socketFolderOf(dataDir);
  if (!(await isPrivateFolder(folder))) return false;
  for (const name of (await readdir(folder)).filter((each) => each.endsWith(SOCKET_SUFFIX)))
    if (await askAt(join(folder, name), request, output)) return true;
  return false;
}

async function askAt(path: string, request: LocalRequest, output: OperationOutput): Promise<boolean> {
  const socket = connect({ path });
  const isConnected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    // A killed process left the socket.
    socket.once('error', () => resolve(false));
  });
  if (!isConnected) return false;
  socket.on('error', () => {});
  socket.end(`${JSON.stringify(request)}\n`);
  for await (const line of createInterface({ input: socket, crlfDelay: Infinity })) {
    const reply = LocalReply.parse(JSON.parse(line));
    if ('refused' in reply) return false;
    if ('failed' in reply) throw new Error(reply.failed);
    if ('out' in reply) output.out(Buffer.from(reply.out, 'base64'));
    if ('err' in reply) output.err(reply.err);
    if ('exitCode' in reply) {
      output.exitCode(reply.exitCode);
      return true;
    }
  }
  throw new Error(
    'The service ended before the command was complete. Its effect is uncertain: check, then run it again.',
  );
}
