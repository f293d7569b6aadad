import { BRAND, PREFIX } from '../api/service.ts';

/** A request as a program would send it. */
export interface ApiCall {
  readonly title?: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** With its parameters filled in: `/v3/order/…`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/** The same request in each language. The key is a placeholder: pages never know one. */
export const LANGUAGES: Readonly<Record<string, (call: ApiCall) => string>> = {
  curl: toCurl,
  Node: toNode,
  Python: toPython,
  Go: toGo,
};

function urlFor({ path, query }: ApiCall): string {
  const given = Object.entries(query ?? {}).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const text = new URLSearchParams(given).toString();
  return `${location.origin}${PREFIX}${path}${text === '' ? '' : `?${text}`}`;
}

/** The header of the key that a path wants, and the environment variable that the samples read it from. */
const keyOf = ({ path }: ApiCall): { header: string; variable: string } =>
  path.startsWith('/v1/org')
    ? { header: 'X-Management-Key', variable: 'MANAGEMENT_KEY' }
    : { header: `x-${BRAND}-api-key`, variable: 'API_KEY' };

function toCurl(call: ApiCall): string {
  const { header, variable } = keyOf(call);
  const method = call.method === 'GET' ? '' : `-X ${call.method} `;
  const body =
    call.body === undefined
      ? ''
      : ` \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify(call.body).replaceAll("'", String.raw`'\''`)}'`;
  return `curl ${method}'${urlFor(call)}' \\\n  -H "${header}: $${variable}"${body}`;
}

function toNode(call: ApiCall): string {
  const { header, variable } = keyOf(call);
  const body =
    call.body === undefined
      ? ''
      : `\n  body: JSON.stringify(${JSON.stringify(call.body, null, 2).replaceAll('\n', '\n  ')}),`;
  const type = call.body === undefined ? '' : `, 'content-type': 'application/json'`;
  return `const response = await fetch('${urlFor(call)}', {
  method: '${call.method}',
  headers: { '${header}': process.env.${variable}${type} },${body}
});
console.log(await response.json());`;
}

function toPython(call: ApiCall): string {
  const { header, variable } = keyOf(call);
  const body = call.body === undefined ? '' : `\n    json=${toPythonValue(call.body, 4)},`;
  return `import os, requests

response = requests.request(
    "${call.method}",
    "${urlFor(call)}",
    headers={"${header}": os.environ["${variable}"]},${body}
)
print(response.json())`;
}

function toPythonValue(value: unknown, indent: number): string {
  const [inner, outer] = [' '.repeat(indent + 4), ' '.repeat(indent)];
  const block = (open: string, lines: readonly string[], close: string) =>
    lines.length === 0
      ? `${open}${close}`
      : `${open}\n${lines.map((line) => `${inner}${line},\n`).join('')}${outer}${close}`;
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || value === undefined) return 'None';
  if (Array.isArray(value))
    return block(
      '[',
      value.map((item) => toPythonValue(item, indent + 4)),
      ']',
    );
  if (typeof value === 'object')
    return block(
      '{',
      Object.entries(value).map(
        ([name, item]) => `${JSON.stringify(name)}: ${toPythonValue(item, indent + 4)}`,
      ),
      '}',
    );
  return JSON.stringify(value);
}

function toGo(call: ApiCall): string {
  const { header, variable } = keyOf(call);
  const text = JSON.stringify(call.body, null, 2)?.replaceAll('`', '`+"`"+`');
  const body = text === undefined ? 'nil' : `strings.NewReader(\`${text}\`)`;
  const type = text === undefined ? '' : '\n\treq.Header.Set("Content-Type", "application/json")';
  const imports = ['fmt', 'io', 'net/http', 'os', ...(text === undefined ? [] : ['strings'])];
  return `package main

import (
${imports.map((name) => `\t"${name}"`).join('\n')}
)

func main() {
	req, err := http.NewRequest("${call.method}", "${urlFor(call)}", ${body})
	if err != nil {
		panic(err)
	}
	req.Header.Set("${header}", os.Getenv("${variable}"))${type}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		panic(err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	fmt.Println(res.Status, string(text))
}`;
}
