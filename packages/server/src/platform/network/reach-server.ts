import { isIP, connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

/** A server, and how to trust it. */
interface ServerToReach {
  /** Its name, which its certificate is for. */
  readonly host: string;
  readonly port: number;
  /** What the name resolved to; one of them has to accept. */
  readonly addresses: readonly string[];
  /** Undefined: without TLS. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
}

const PATIENCE_MS = 5000;

/**
 * Opens a connection, does the TLS handshake, sends nothing and closes it: whether a server can be reached. Returns the
 * end of its certificate; undefined without TLS. Throws the reason if the server is not reached or not trusted.
 */
export async function reachServer({ addresses, ...server }: ServerToReach): Promise<Date | undefined> {
  let failure: unknown = new Error(`${server.host} has no address`);
  for (const address of addresses) {
    try {
      return await reachAddress(address, server);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function reachAddress(
  address: string,
  { host, port, tls }: Omit<ServerToReach, 'addresses'>,
): Promise<Date | undefined> {
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket: Socket = tls
    ? connectTls({ host: address, port, minVersion: 'TLSv1.2', ...name, ...tls })
    : connectPlain({ host: address, port });
  return new Promise<Date | undefined>((resolve, reject) => {
    const late = () => reject(new Error(`no answer within ${PATIENCE_MS / 1000} s`));
    socket.setTimeout(PATIENCE_MS, late);
    socket.once('error', reject);
    socket.once(tls ? 'secureConnect' : 'connect', () => resolve(tls && endOfCertificate(socket)));
  }).finally(() => socket.destroy());
}

function endOfCertificate(socket: Socket): Date | undefined {
  const certificate = (socket as TLSSocket).getPeerX509Certificate();
  return certificate && new Date(certificate.validTo);
}
