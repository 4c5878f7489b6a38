/** Where the objects of both sides are. */
import { customResource, kubermatic, namespaced, node } from '../../kube/client/paths.ts';
import type { WrittenKind } from '../../workflows/plan/front/writes.ts';

type PathOf = (namespace: string, name?: string) => string;

const paths: Readonly<Record<WrittenKind, PathOf>> = {
  theirDeployment: (namespace, name) => kubermatic('machinedeployments', namespace, name),
  theirSet: (namespace, name) => kubermatic('machinesets', namespace, name),
  theirMachine: (namespace, name) => kubermatic('machines', namespace, name),
  deployment: (namespace, name) => customResource('machinedeployments', namespace, name),
  set: (namespace, name) => customResource('machinesets', namespace, name),
  machine: (namespace, name) => customResource('machines', namespace, name),
  class: (namespace, name) => customResource('machineclasses', namespace, name),
  secret: (namespace, name) => namespaced('secrets', namespace, name),
  configMap: (namespace, name) => namespaced('configmaps', namespace, name),
  node: (_namespace, name) => node(name),
};

/** Without a name that of the list. */
export function pathOf(kind: WrittenKind, namespace: string, name?: string): string {
  return paths[kind](namespace, name);
}
