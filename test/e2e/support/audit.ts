/** What the operator asked of the API server, by the server's own log. */
import { createReadStream, statSync } from 'node:fs';
import { testStack } from './test-stack.ts';

interface AuditLine {
  verb: string;
  requestURI: string;
  user?: { username?: string };
  objectRef?: { resource?: string; subresource?: string; namespace?: string; name?: string };
  responseStatus?: { code?: number };
  requestReceivedTimestamp: string;
}

/** One request of a watcher or worker for one object. */
export interface AuditedRequest {
  verb: string;
  /** With subresource, e.g. `pods/eviction`. */
  resource: string;
  name: string;
  /** HTTP status of the answer. */
  code: number;
  /** Milliseconds. */
  at: number;
}

const reads = new Set(['get', 'list', 'watch']);

/**
 * Writes of watchers and workers that concern names with this prefix, Leases aside: `user verb
 * URI`, of a new object also its name.
 */
export async function operatorWrites(prefix: string): Promise<string[]> {
  const writes: string[] = [];
  for (const line of await linesOfWrites(prefix)) {
    writes.push(`${line.user?.username} ${line.verb} ${addressOf(line)}`);
  }
  return writes;
}

function addressOf({ verb, requestURI, objectRef }: AuditLine): string {
  return verb === 'create' ? `${requestURI} ${objectRef?.name}` : requestURI;
}

/** Requests of these users that RBAC refused: `user verb URI`. */
export async function refusalsOf(users: readonly string[]): Promise<string[]> {
  const text = await textFrom(begin);
  return text
    .split('\n')
    .filter((line) => line.includes('"code":403'))
    .map((line): AuditLine => JSON.parse(line))
    .filter(({ user, responseStatus }) => {
      return users.includes(user?.username ?? '') && responseStatus?.code === 403;
    })
    .map((line) => `${line.user?.username} ${line.verb} ${line.requestURI}`);
}

/** Requests of these users below a path, also those that were refused: `user verb URI`. */
export async function requestsBelow(path: string, users: readonly string[]): Promise<string[]> {
  const text = await textFrom(begin);
  return text
    .split('\n')
    .filter((line) => line.includes(`"requestURI":"${path}`))
    .map((line): AuditLine => JSON.parse(line))
    .filter(({ user }) => users.includes(user?.username ?? ''))
    .map(({ user, verb, requestURI }) => `${user?.username} ${verb} ${requestURI}`);
}

/** What these users asked for and got: `user verb resource`, each once. */
export async function grantedOf(users: readonly string[]): Promise<Set<string>> {
  const text = await textFrom(begin);
  return new Set(
    text
      .split('\n')
      .filter((line) => users.some((user) => line.includes(user)))
      .map((line): AuditLine => JSON.parse(line))
      .filter(({ responseStatus }) => (responseStatus?.code ?? 0) < 400)
      .map(({ user, verb, objectRef }) => `${user?.username} ${verb} ${objectRef?.resource}`),
  );
}

interface Wanted {
  verb: 'create' | 'delete' | 'patch';
  /** With subresource. */
  resource: string;
  /** How the name begins; default any. */
  start?: string;
}

/** Writes of one kind in order, also those that were refused. */
export async function operatorRequests(
  prefix: string,
  { verb, resource, start = '' }: Wanted,
): Promise<AuditedRequest[]> {
  const all = await allRequests(prefix);
  return all.filter(
    (one) => one.verb === verb && one.resource === resource && one.name.startsWith(start),
  );
}

/**
 * Names of the pods whose eviction succeeded, in order: one that was evicted twice is there twice.
 */
export async function evictedPods(prefix: string, start?: string): Promise<string[]> {
  const wanted = { verb: 'create', resource: 'pods/eviction', ...(start && { start }) } as const;
  const evictions = await operatorRequests(prefix, wanted);
  return evictions.filter(({ code }) => code === 201).map(({ name }) => name);
}

async function allRequests(prefix: string): Promise<AuditedRequest[]> {
  const requests: AuditedRequest[] = [];
  for (const line of await linesOfWrites(prefix)) {
    const { resource = '', subresource, name = '' } = line.objectRef ?? {};
    requests.push({
      verb: line.verb,
      resource: subresource === undefined ? resource : `${resource}/${subresource}`,
      name,
      code: line.responseStatus?.code ?? 0,
      at: Date.parse(line.requestReceivedTimestamp),
    });
  }
  return requests;
}

/** Writes about names with a prefix, and where the log ended when they were read. */
interface ReadSoFar {
  position: number;
  lines: AuditLine[];
}

/**
 * Nothing that a test file asks about happened before it was loaded: the names of a scenario are
 * drawn anew.
 */
const begin = lengthOfLog();
const readSoFar = new Map<string, ReadSoFar>();

/**
 * Reads only what was added since the last call: the log of a full run is long, and tests ask in a
 * loop.
 */
async function linesOfWrites(prefix: string): Promise<readonly AuditLine[]> {
  const { position, lines } = readSoFar.get(prefix) ?? { position: begin, lines: [] };
  const added = await textFrom(position);
  const all = [...lines, ...added.split('\n').flatMap((text) => writeIn(text, prefix))];
  readSoFar.set(prefix, { position: position + Buffer.byteLength(added), lines: all });
  return all;
}

function lengthOfLog(): number {
  return statSync(testStack().layout.logOf('audit')).size;
}

/** Whole lines only: the API server may be writing the last one. */
async function textFrom(start: number): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(testStack().layout.logOf('audit'), { start })) {
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return text.slice(0, text.lastIndexOf('\n') + 1);
}

function writeIn(text: string, prefix: string): AuditLine[] {
  // Most lines are about other scenarios.
  if (!text.includes(prefix)) return [];
  const line: AuditLine = JSON.parse(text);
  return isWrite(line) && addressOf(line).includes(prefix) ? [line] : [];
}

function isWrite({ verb, user, objectRef }: AuditLine): boolean {
  const isOurs = user?.username?.startsWith('millwright-') ?? false;
  return isOurs && !reads.has(verb) && objectRef?.resource !== 'leases';
}
