import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { TLSSocket } from 'node:tls';
import { Agent, buildConnector } from 'undici';

/**
 * Connections to the service of this machine when it serves HTTPS: the certificate must be the one in its file. It is
 * made for the public name and perhaps signed by nobody known, so neither the name nor an authority can be checked.
 */
export async function pinCertificate(file: string): Promise<Agent> {
  const expected = new X509Certificate(await readFile(file)).fingerprint256;
  // A resumed session does not show the certificate again.
  const connector = buildConnector({ rejectUnauthorized: false, maxCachedSessions: 0 });
  return new Agent({
    connect: (options, done) =>
      connector(options, (error, socket) => {
        if (error) return done(error, null);
        if (socket instanceof TLSSocket && socket.getPeerCertificate().fingerprint256 === expected)
          return done(null, socket);
        socket?.destroy();
        return done(new Error(`the service at this port does not have the certificate in ${file}`), null);
      }),
  });
}
