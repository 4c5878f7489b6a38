/** Names for what a worker asks of the API server and of the virtual cloud. */
import type { RelayedRequest } from './relay.ts';

export interface Step {
  /**
   * What is done: `api list machines`, `api patch machines/status Pending`, `cloud create
   * instances`.
   */
  kind: string;
  /** What a write is done to; empty for a read, as reads of a kind are all alike. */
  object: string;
  isWrite: boolean;
  /** Something is made or goes, so that doing it twice would matter most. */
  isDecisive: boolean;
}

interface Body {
  name?: string;
  metadata?: { name?: string };
  status?: { currentStatus?: { phase?: string } };
}

export function stepOf(server: 'api' | 'cloud', { method, url, body }: RelayedRequest): Step {
  const { resource, name, subresource } = objectIn(server, url);
  const verb = verbOf(method, url, name);
  const action = `${server} ${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}`;
  if (method === 'GET') return { kind: action, object: '', isWrite: false, isDecisive: false };
  const content: Body = body === '' ? {} : JSON.parse(body);
  return {
    kind: [action, ...phaseIn(content)].join(' '),
    object: name === '' ? nameIn(content) : name,
    isWrite: true,
    isDecisive: method === 'DELETE' || (method === 'POST' && resource !== 'events'),
  };
}

function phaseIn({ status }: Body): string[] {
  const phase = status?.currentStatus?.phase;
  return phase === undefined ? [] : [phase];
}

const nameIn = ({ metadata, name = '' }: Body): string => metadata?.name ?? name;

interface ObjectOfRequest {
  resource: string;
  name: string;
  subresource: string;
}

/**
 * `/api/v1/namespaces/x/events`, `/apis/group/v1/nodes/n/status`, `/instances/i`; `/version` is a
 * resource by its first word.
 */
function objectIn(server: 'api' | 'cloud', { pathname }: URL): ObjectOfRequest {
  const parts = pathname.split('/').slice(1);
  const afterVersion = parts.slice(versionParts(server, parts[0]));
  const isNamespaced = afterVersion[0] === 'namespaces' && afterVersion.length > 2;
  const [resource = '', name = '', subresource = ''] = afterVersion.slice(isNamespaced ? 2 : 0);
  return { resource, name, subresource };
}

function versionParts(server: 'api' | 'cloud', first: string | undefined): number {
  if (server === 'cloud') return 0;
  if (first === 'api') return 2;
  return first === 'apis' ? 3 : 0;
}

function verbOf(method: string, url: URL, name: string): string {
  if (method === 'POST') return 'create';
  if (method !== 'GET') return method.toLowerCase();
  if (url.searchParams.get('watch') === 'true') return 'watch';
  return name === '' ? 'list' : 'get';
}
