import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { sendMessage } from './client.ts';

const open: Server[] = [];
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const server of open.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** A laboratory with this connection handler. */
async function laboratory(behave: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    behave(socket);
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const ask = (port: number) =>
  sendMessage(
    { host: '127.0.0.1', addresses: ['127.0.0.1'], port, tls: undefined },
    { bytes: Buffer.from('MSH|'), controlId: 'C1' },
    300,
  );

describe('a laboratory that does not answer in time', () => {
  it('times out without a response', async () => {
    await expect(ask(await laboratory(() => {}))).rejects.toThrow('did not answer in time');
  });

  it('times out if the response never ends', async () => {
    const port = await laboratory((socket) => {
      const dribble = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(dribble));
    });
    await expect(ask(port)).rejects.toThrow('did not answer in time');
  });
});
