import { connect, type Socket } from 'node:net';
import { framed, openFramer } from '../../src/adapters/lab-network/hl7/frames.ts';

const LANES = 16;

/** Connections that each send a message and wait for its acknowledgement, as laboratories do. Answers milliseconds. */
export async function sendAll(port: number, messages: readonly Buffer[]): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: LANES }, () => open(port)));
  let next = 0;
  const begun = performance.now();
  await Promise.all(
    sockets.map(async (socket) => {
      for (let n = next++; n < messages.length; n = next++) await ask(socket, messages[n] ?? Buffer.alloc(0));
    }),
  );
  const spent = performance.now() - begun;
  for (const socket of sockets) socket.destroy();
  return spent;
}

/** The same with a connection for each message: node-hl7-server never empties the buffer of one. Answers milliseconds. */
export async function sendEach(port: number, messages: readonly Buffer[]): Promise<number> {
  let next = 0;
  const begun = performance.now();
  const lane = async () => {
    for (let n = next++; n < messages.length; n = next++) {
      const socket = await open(port);
      await ask(socket, messages[n] ?? Buffer.alloc(0));
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return performance.now() - begun;
}

const open = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => resolve(socket));
  });

const ask = (socket: Socket, message: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const framer = openFramer(1e6);
    const hear = (chunk: Buffer) => {
      const [frame] = framer.push(chunk);
      if (!frame) return;
      socket.off('data', hear);
      if (frame.bytes.includes('MSA|AA')) resolve();
      else reject(new Error(frame.bytes.toString()));
    };
    socket.on('data', hear);
    socket.write(framed(message));
  });
