import { connect, type Socket } from 'node:net';
import { wrapFrame, createFramer } from '../../packages/server/src/adapters/lab-network/hl7/frames.ts';

const CONNECTIONS = 16;

/** Sends over connections that each wait for the acknowledgement, as laboratories do. Returns milliseconds. */
export async function sendAll(port: number, messages: readonly Buffer[]): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => openSocket(port)));
  let next = 0;
  const begun = performance.now();
  await Promise.all(
    sockets.map(async (socket) => {
      for (let n = next++; n < messages.length; n = next++)
        await sendMessage(socket, messages[n] ?? Buffer.alloc(0));
    }),
  );
  const spent = performance.now() - begun;
  for (const socket of sockets) socket.destroy();
  return spent;
}

/** The same with a connection for each message: node-hl7-server never clears its buffer. Returns milliseconds. */
export async function sendEach(port: number, messages: readonly Buffer[]): Promise<number> {
  let next = 0;
  const begun = performance.now();
  const lane = async () => {
    for (let n = next++; n < messages.length; n = next++) {
      const socket = await openSocket(port);
      await sendMessage(socket, messages[n] ?? Buffer.alloc(0));
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  return performance.now() - begun;
}

const openSocket = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => resolve(socket));
  });

const sendMessage = (socket: Socket, message: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const framer = createFramer(1e6);
    const hear = (chunk: Buffer) => {
      const [frame] = framer.push(chunk);
      if (!frame) return;
      socket.off('data', hear);
      if (frame.bytes.includes('MSA|AA')) resolve();
      else reject(new Error(frame.bytes.toString()));
    };
    socket.on('data', hear);
    socket.write(wrapFrame(message));
  });
