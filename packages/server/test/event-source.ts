/** A message of an event stream. */
interface EventSourceMessage {
  readonly id: string;
  readonly event: string;
  // Tests read wire documents of every shape.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly data: any;
}

/** An open event stream, read as a browser reads it. */
export interface TestEventSource {
  readonly status: number;
  readonly headers: Headers;
  readonly messages: readonly EventSourceMessage[];
  /** Everything that arrived. */
  text(): string;
  lastEventId(): string;
  heartbeats(): number;
  /** Resolves when the response has ended. */
  readonly ended: Promise<void>;
  close(): void;
}

export async function openEventSource(
  url: string,
  headers: Record<string, string>,
): Promise<TestEventSource> {
  const abort = new AbortController();
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: abort.signal,
  });
  const messages: EventSourceMessage[] = [];
  let text = '';
  let parsedTo = 0;
  let lastEventId = '';
  let heartbeats = 0;
  const parse = () => {
    for (let end = text.indexOf('\n\n', parsedTo); end >= 0; end = text.indexOf('\n\n', parsedTo)) {
      const block = text.slice(parsedTo, end);
      parsedTo = end + 2;
      if (block === ': heartbeat') heartbeats += 1;
      const fields = new Map(block.split('\n').map((line) => splitField(line)));
      lastEventId = fields.get('id') ?? lastEventId;
      const data = fields.get('data');
      if (data === undefined) continue;
      messages.push({ id: lastEventId, event: fields.get('event') ?? 'message', data: JSON.parse(data) });
    }
  };
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      parse();
    }
  };
  return {
    status: response.status,
    headers: response.headers,
    messages,
    text: () => text,
    lastEventId: () => lastEventId,
    heartbeats: () => heartbeats,
    ended: read().catch(() => {}),
    close: () => abort.abort(),
  };
}

function splitField(line: string): [string, string] {
  const colon = line.indexOf(': ');
  return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 2)];
}
