/** Watched resources: where they are, and how they are trimmed. */
import type { KubeClient, KubeObject, Query } from '../../kube/client/client.ts';
import {
  customResource,
  disruptionPolicy,
  namespaced,
  node as nodePath,
} from '../../kube/client/paths.ts';
import { OptionalReflector } from '../../kube/cache/optional-reflector.ts';
import type { CachedObject } from '../../kube/cache/object-cache.ts';
import type { ReflectorOptions } from '../../kube/cache/reflector.ts';
import { Reflector } from '../../kube/cache/reflector.ts';
import { policyResource } from '../../kube/objects/disruption-policies.ts';
import type { Checkpoint } from './checkpoint.ts';
import { ConfigMapSource } from './config-map-source.ts';
import { viewOfMachine } from './machine-view.ts';
import { viewOfClass, viewOfNode, viewOfSecret } from './other-views.ts';
import { viewOfPolicy } from './policy-view.ts';
import { viewOfMachineDeployment, viewOfMachineSet } from './set-view.ts';
import type { WatchedChange } from './store.ts';
import type { Resource, Views } from './views.ts';

export interface SourceOptions {
  control: KubeClient;
  /** Cluster of the Nodes, if there is one. */
  target: KubeClient | undefined;
  namespace: string;
  checkpoint: Checkpoint;
  onChange(change: WatchedChange): void;
  onError(error: unknown, resource: Resource): void;
  /** Earlier signals may be of another history of this cluster, or incomplete. */
  onDoubt(reason: string, resource: Resource): void;
}

/** The part of a reflector that does not depend on the type of its objects. */
export type Source = Pick<
  Reflector<KubeObject, Views[Resource]>,
  | 'synced'
  | 'isSynced'
  | 'isBroken'
  | 'resourceVersion'
  | 'restarts'
  | 'lastEventAgeSeconds'
  | 'awaySince'
  | 'stop'
> & {
  /** False of a resource that may be absent, and is. Default true. */
  isServed?: boolean;
};

/** Secrets are read without their content. */
const metadataOnly: Query = { as: 'PartialObjectMetadata' };

/** Starts them all. */
export function startSources(options: SourceOptions): Map<Resource, Source> {
  const { control, target, namespace, checkpoint, onChange } = options;
  const common = (resource: Resource) => ({
    client: control,
    since: checkpoint[resource],
    onError: (error: unknown) => options.onError(error, resource),
    onHistoryLost: (reason: string) => options.onDoubt(reason, resource),
  });
  const sources = new Map<Resource, Source>();
  sources.set(
    'machines',
    new Reflector({
      ...common('machines'),
      path: customResource('machines', namespace),
      transform: viewOfMachine,
      onChange: (change) => onChange({ ...change, resource: 'machines' }),
    }),
  );
  sources.set(
    'machineSets',
    new Reflector({
      ...common('machineSets'),
      path: customResource('machinesets', namespace),
      transform: viewOfMachineSet,
      onChange: (change) => onChange({ ...change, resource: 'machineSets' }),
    }),
  );
  sources.set(
    'machineDeployments',
    new Reflector({
      ...common('machineDeployments'),
      path: customResource('machinedeployments', namespace),
      transform: viewOfMachineDeployment,
      onChange: (change) => onChange({ ...change, resource: 'machineDeployments' }),
    }),
  );
  const ofClasses = classSources(options, common('machineClasses'));
  sources.set('machineClasses', ofClasses.classes);
  sources.set('configMaps', ofClasses.configMaps);
  sources.set(
    'secrets',
    new Reflector({
      ...common('secrets'),
      path: namespaced('secrets', namespace),
      query: metadataOnly,
      transform: viewOfSecret,
      onChange: (change) => onChange({ ...change, resource: 'secrets' }),
    }),
  );
  sources.set('disruptionPolicies', policySource(options, common('disruptionPolicies')));
  if (target !== undefined) {
    sources.set(
      'nodes',
      new Reflector({
        ...common('nodes'),
        client: target,
        path: nodePath(),
        transform: viewOfNode,
        onChange: (change) => onChange({ ...change, resource: 'nodes' }),
      }),
    );
  }
  return sources;
}

type Common = Pick<
  ReflectorOptions<KubeObject, CachedObject>,
  'client' | 'since' | 'onError' | 'onHistoryLost'
>;

/** They say whether there are ConfigMaps to watch. */
function classSources(
  { control, namespace, onChange, onError }: SourceOptions,
  common: Common,
): { classes: Source; configMaps: Source } {
  const configMaps = new ConfigMapSource({
    client: control,
    namespace,
    onChange: (change) => onChange({ ...change, resource: 'configMaps' }),
    onError: (error) => onError(error, 'configMaps'),
  });
  const classes = new Reflector({
    ...common,
    path: customResource('machineclasses', namespace),
    transform: viewOfClass,
    onChange: (change) => {
      configMaps.want([...classes.items.values()].some((one) => one.configMaps.length > 0));
      onChange({ ...change, resource: 'machineClasses' });
    },
  });
  return { classes, configMaps };
}

/** Their CRD may be absent. */
function policySource(
  { namespace, onChange, onError }: SourceOptions,
  common: Omit<Common, 'onHistoryLost'>,
): Source {
  return new OptionalReflector({
    ...common,
    resource: policyResource,
    path: disruptionPolicy(namespace),
    transform: viewOfPolicy,
    onChange: (change) => onChange({ ...change, resource: 'disruptionPolicies' }),
    onRefusal: (refusal) => refusal && onError(refusal, 'disruptionPolicies'),
  });
}
