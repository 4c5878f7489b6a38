/** What the API server's audit log says of a span of time. */
import { open, stat } from 'node:fs/promises';

interface AuditEvent {
  verb: string;
  user: { username: string };
  userAgent?: string;
  objectRef?: { resource?: string; subresource?: string };
}

export interface RequestCounts {
  /** Events included. */
  writes: number;
  events: number;
  reads: number;
  /** `verb resource[/subresource]` -> requests, most first. */
  kinds: Record<string, number>;
}

const writeVerbs = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
/** Election renewals go on whatever happens. */
const ignoredResources = new Set(['leases']);

export async function auditPosition(file: string): Promise<number> {
  return (await stat(file)).size;
}

/** Requests by user since a position of the log. */
export async function requestsSince(
  file: string,
  position: number,
): Promise<Record<string, RequestCounts>> {
  const counts: Record<string, RequestCounts> = {};
  const handle = await open(file);
  for await (const line of handle.readLines({ start: position })) {
    const event: AuditEvent = JSON.parse(line);
    if (ignoredResources.has(event.objectRef?.resource ?? '') || event.verb === 'watch') continue;
    count((counts[userOf(event)] ??= { writes: 0, events: 0, reads: 0, kinds: {} }), event);
  }
  for (const user of Object.values(counts)) {
    user.kinds = Object.fromEntries(Object.entries(user.kinds).toSorted(([, a], [, b]) => b - a));
  }
  return counts;
}

/** MCM is an administrator here, as the benchmark is: its programs are known by what they say. */
function userOf({ user, userAgent = '' }: AuditEvent): string {
  return /machine-controller/.test(userAgent) ? mcmUser : user.username;
}

const mcmUser = 'mcm';
/** As users of the API server. */
const controllers = ['millwright-controller', 'millwright-worker', 'millwright-watcher', mcmUser];

/** Of worker and watcher together, or of both processes of MCM. */
export function requestsOfControllers(
  users: Record<string, RequestCounts>,
): Omit<RequestCounts, 'kinds'> {
  const sumOf = (what: 'writes' | 'events' | 'reads'): number =>
    controllers.reduce((sum, user) => sum + (users[user]?.[what] ?? 0), 0);
  return { writes: sumOf('writes'), events: sumOf('events'), reads: sumOf('reads') };
}

function count(user: RequestCounts, { verb, objectRef = {} }: AuditEvent): void {
  if (writeVerbs.has(verb)) user.writes += 1;
  else user.reads += 1;
  const { resource = 'other', subresource } = objectRef;
  if (resource === 'events' && writeVerbs.has(verb)) user.events += 1;
  const kind = `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
  user.kinds[kind] = (user.kinds[kind] ?? 0) + 1;
}
