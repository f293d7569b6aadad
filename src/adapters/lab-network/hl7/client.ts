import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { LabAnswer, MllpTarget, TlsMaterial } from '../wire.ts';
import { readAcknowledgement } from './acknowledge.ts';
import { framed, openFramer } from './frames.ts';

const CONNECT_PATIENCE_MS = 10_000;
const ANSWER_PATIENCE_MS = 30_000;
const ANSWER_LIMIT_BYTES = 1024 * 1024;

/**
 * Sends one message on a connection of its own and waits for its acknowledgement. Throws when the laboratory cannot be
 * reached, hangs up, does not answer in time, or answers to something else; whether it has the message is not known then.
 */
export async function send(
  target: MllpTarget,
  { bytes, controlId }: { bytes: Buffer; controlId: string },
  patienceMs = ANSWER_PATIENCE_MS,
): Promise<LabAnswer> {
  const socket = await reach(target);
  try {
    return readAcknowledgement(await ask(socket, bytes, patienceMs), controlId);
  } finally {
    socket.destroy();
  }
}

/** The first address that takes the connection. */
async function reach(target: MllpTarget): Promise<Socket> {
  let failure: unknown = new Error(`${target.host} has no address`);
  for (const address of target.addresses) {
    try {
      return await connect(target, address);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function connect({ host, port, tls }: MllpTarget, address: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = tls
      ? connectTls({ host: address, port, ...nameOf(host), ...given(tls) })
      : connectPlain({ host: address, port });
    const timer = setTimeout(
      () => socket.destroy(new Error('The laboratory could not be reached in time')),
      CONNECT_PATIENCE_MS,
    );
    socket.setNoDelay(true);
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      resolve(socket);
    });
  });
}

/** The certificate has to name the host, which is not asked for again: its address was looked up before. */
const nameOf = (host: string) => (isIP(host) === 0 ? { servername: host } : {});

const given = ({ ca, cert, key }: TlsMaterial) => ({
  minVersion: 'TLSv1.2' as const,
  ...(ca === undefined ? {} : { ca }),
  ...(cert === undefined ? {} : { cert }),
  ...(key === undefined ? {} : { key }),
});

/** The time is that of the whole answer: who sends a byte now and then is waited for no longer than who sends none. */
function ask(socket: Socket, bytes: Buffer, patienceMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const framer = openFramer(ANSWER_LIMIT_BYTES);
    const late = setTimeout(
      () => socket.destroy(new Error('The laboratory did not answer in time')),
      patienceMs,
    );
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(late);
      reject(new Error('The laboratory hung up without an answer'));
    });
    socket.on('data', (chunk: Buffer) => {
      for (const frame of framer.push(chunk)) {
        if (frame.flaw === undefined) resolve(frame.bytes);
        else socket.destroy(new Error('The laboratory answered with a broken frame'));
      }
    });
    socket.write(framed(bytes));
  });
}
