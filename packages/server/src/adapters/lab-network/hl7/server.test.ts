import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { MllpListener, ReceivedFrame } from '../protocol.ts';
import { wrapFrame } from './frames.ts';
import { listen } from './server.ts';

const sockets: Socket[] = [];
let listener: MllpListener | undefined;
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await listener?.close();
  listener = undefined;
});

const heard: ReceivedFrame[] = [];
/** A listener that takes a moment to answer, as storing does. */
async function open(limits: { connections?: number; connectionsPerAddress?: number } = {}): Promise<number> {
  heard.length = 0;
  const options = { host: '127.0.0.1', port: 0, tls: undefined, limitBytes: 10_000, idleMs: 60_000 };
  listener = await listen(
    { ...options, connections: 100, connectionsPerAddress: 100, ...limits },
    async (frame) => {
      heard.push(frame);
      await delay(50);
      return Buffer.from(`ack of ${frame.bytes.toString()}`);
    },
  );
  return listener.port;
}

async function dial(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, localAddress, allowHalfOpen: true });
  sockets.push(socket);
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  socket.on('error', () => {});
  return socket;
}

/** Everything that is received until the listener closes its side. */
async function receiveAll(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await new Promise<void>((resolve) => socket.once('end', resolve).once('close', () => resolve()));
  return text;
}

describe('an MLLP connection', () => {
  it('is answered after the client closed its side, and is then closed', async () => {
    const socket = await dial(await open());
    const answer = receiveAll(socket);
    socket.end(Buffer.concat([wrapFrame(Buffer.from('one')), wrapFrame(Buffer.from('two'))]));
    expect(await answer).toBe('\u000back of one\u001c\r\u000back of two\u001c\r');
  });

  it('is answered for the unfinished frame, too', async () => {
    const socket = await dial(await open());
    const answer = receiveAll(socket);
    socket.end('\u000bone');
    expect(await answer).toBe('\u000back of one\u001c\r');
    expect(heard).toMatchObject([{ flaw: 'truncated' }]);
  });

  it('is answered if its frames end with a line feed', async () => {
    const socket = await dial(await open());
    const answer = receiveAll(socket);
    socket.write('\u000bone\u001c\n\u000btwo\u001c');
    await delay(20);
    socket.end('\n');
    expect(await answer).toBe('\u000back of one\u001c\r\u000back of two\u001c\r');
  });
});

describe('the connections of one address', () => {
  it('are limited to its share, and leave the rest to others', async () => {
    const port = await open({ connectionsPerAddress: 2 });
    const [first] = [await dial(port), await dial(port)];
    const third = await dial(port);
    expect(await receiveAll(third)).toBe('');

    const other = await dial(port, '127.0.0.2');
    const answer = receiveAll(other);
    other.end(wrapFrame(Buffer.from('one')));
    expect(await answer).toContain('ack of one');

    first?.destroy();
    await delay(50);
    const fourth = await dial(port);
    const next = receiveAll(fourth);
    fourth.end(wrapFrame(Buffer.from('two')));
    expect(await next).toContain('ack of two');
  });
});
