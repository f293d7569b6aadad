import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ReceivedAcknowledgement, MllpTarget, TlsMaterial } from '../protocol.ts';
import { readAcknowledgement } from './acknowledge.ts';
import { wrapFrame, createFramer } from './frames.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const ACKNOWLEDGEMENT_TIMEOUT_MS = 30_000;
const ACKNOWLEDGEMENT_LIMIT_BYTES = 1024 * 1024;

/**
 * Sends one message on a new connection and waits for its acknowledgement. Throws if the laboratory cannot be reached,
 * closes the connection, does not answer in time or acknowledges another message. It is then unknown whether the
 * laboratory received the message.
 */
export async function sendMessage(
  target: MllpTarget,
  { bytes, controlId }: { bytes: Buffer; controlId: string },
  patienceMs = ACKNOWLEDGEMENT_TIMEOUT_MS,
): Promise<ReceivedAcknowledgement> {
  const socket = await connectToAny(target);
  try {
    return readAcknowledgement(await exchangeFrames(socket, bytes, patienceMs), controlId);
  } finally {
    socket.destroy();
  }
}

/** Connects to the first reachable address. */
async function connectToAny(target: MllpTarget): Promise<Socket> {
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
      ? connectTls({ host: address, port, ...toServerName(host), ...toTlsOptions(tls) })
      : connectPlain({ host: address, port });
    const timer = setTimeout(
      () => socket.destroy(new Error('The laboratory could not be reached in time')),
      CONNECT_TIMEOUT_MS,
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

/** The certificate is checked against the host name, although the connection uses a resolved address. */
const toServerName = (host: string) => (isIP(host) === 0 ? { servername: host } : {});

const toTlsOptions = ({ ca, cert, key }: TlsMaterial) => ({
  minVersion: 'TLSv1.2' as const,
  ...(ca === undefined ? {} : { ca }),
  ...(cert === undefined ? {} : { cert }),
  ...(key === undefined ? {} : { key }),
});

/** The timeout covers the whole response, so that a slow sender cannot extend it. */
function exchangeFrames(socket: Socket, bytes: Buffer, patienceMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const framer = createFramer(ACKNOWLEDGEMENT_LIMIT_BYTES);
    const late = setTimeout(
      () => socket.destroy(new Error('The laboratory did not answer in time')),
      patienceMs,
    );
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(late);
      reject(new Error('The laboratory closed the connection without an answer'));
    });
    socket.on('data', (chunk: Buffer) => {
      for (const frame of framer.push(chunk)) {
        if (frame.flaw === undefined) resolve(frame.bytes);
        else socket.destroy(new Error('The laboratory answered with an invalid frame'));
      }
    });
    socket.write(wrapFrame(bytes));
  });
}
