/** The baseline of `hl7-intake`: the same framing and header parsing and an acknowledgement; it stores nothing. */
import { createServer } from 'node:http';
import { writeAcknowledgement } from '../../packages/server/src/adapters/lab-network/hl7/acknowledge.ts';
import { readHead } from '../../packages/server/src/adapters/lab-network/hl7/head.ts';
import { listen } from '../../packages/server/src/adapters/lab-network/hl7/server.ts';

const at = new Date(0);
const options = { host: '127.0.0.1', tls: undefined, limitBytes: 5e6, idleMs: 60_000, connections: 100 };
let count = 0;
const listener = await listen({ ...options, port: Number(process.env['LAB_MLLP_PORT']) }, async ({ bytes }) =>
  writeAcknowledgement(readHead(bytes, 'hl7'), { code: 'AA', text: null, id: String((count += 1)), at }),
);
const server = createServer((_request, response) => response.end('ok')).listen(
  Number(process.env['PORT']),
  '127.0.0.1',
);
process.once('SIGTERM', () => {
  void listener.close();
  server.close();
  server.closeAllConnections();
});
