/** What nothing needs any more: instances, Nodes and bootstrap tokens. */
import type { KubeObject } from '../../../../activities/kube/client/client.ts';
import { installOfRecord } from '../past/instance-past.ts';
import type { EndParts } from './end-parts.ts';

/** Each living instance belongs to one Machine. */
export function unmetInstances({ evidence, install, objects }: EndParts): string[] {
  const own = Array.from(evidence.cloud.living).filter(
    (record) => installOfRecord(evidence.world, record) === install,
  );
  return own.flatMap(({ id, name, providerID }) => {
    const owners = objects.machines.filter(({ spec }) => spec?.providerID === providerID);
    if (owners.length === 1) return [];
    return [`instance ${id} of ${name} has ${owners.length} Machines`];
  });
}

/**
 * The Node of an instance of which a Machine was torn down is gone. That of an orphan is for the
 * cloud's own controller.
 */
export function unmetNodes({ evidence, install }: EndParts): string[] {
  const ended = evidence.cloud.records.filter(
    (record) =>
      record.deletedAt !== undefined &&
      installOfRecord(evidence.world, record) === install &&
      evidence.instances.of(record).wasCondemned,
  );
  const ids = new Set(ended.map(({ providerID }) => providerID));
  return evidence
    .targetOf(install)
    .nodes.present()
    .filter(({ last }) => ids.has(last.spec?.providerID ?? ''))
    .map(({ last }) => `Node ${last.metadata.name} has no instance`);
}

interface TokenSecret extends KubeObject {
  type?: string;
}

/** Machines that run need none. */
export function unmetTokens({ install, objects }: EndParts): string[] {
  const { items = [] }: { items?: TokenSecret[] } = install.target.server.get(
    '/api/v1/namespaces/kube-system/secrets',
  );
  const isAnyCreating = objects.machines.some(({ status }) => !status?.currentStatus?.phase);
  if (isAnyCreating) return [];
  return items
    .filter(({ type }) => type === 'bootstrap.kubernetes.io/token')
    .map(({ metadata }) => `bootstrap token ${metadata.name} is left`);
}
