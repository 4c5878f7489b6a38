/** What the operator wrote to the API server, by the server's own log. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { testStack } from './test-stack.ts';

interface AuditLine {
  verb: string;
  requestURI: string;
  user?: { username?: string };
  objectRef?: { resource?: string; namespace?: string; name?: string };
}

const reads = new Set(['get', 'list', 'watch']);

/** Writes of watchers and workers that concern names with this prefix, Leases aside: `user verb URI`. */
export async function operatorWrites(prefix: string): Promise<string[]> {
  const { layout } = testStack();
  const writes: string[] = [];
  for await (const text of createInterface({ input: createReadStream(layout.logOf('audit')) })) {
    const line: AuditLine = JSON.parse(text);
    if (isWrite(line) && line.requestURI.includes(prefix)) {
      writes.push(`${line.user?.username} ${line.verb} ${line.requestURI}`);
    }
  }
  return writes;
}

function isWrite({ verb, user, objectRef }: AuditLine): boolean {
  const isOurs = user?.username?.startsWith('millwright-') ?? false;
  return isOurs && !reads.has(verb) && objectRef?.resource !== 'leases';
}
