/** Class, Secret and ConfigMap of each template of theirs. */
import { annotations, apiVersion } from '../../api/constants.ts';
import { front } from '../../api/kubermatic-names.ts';
import type { MachineClass } from '../../api/machine-class.ts';
import type { ObjectMeta } from '../../api/meta.ts';
import { defined } from '../../values/defined.ts';
import { mergePatchOf } from '../../values/merge-patch.ts';
import {
  byName,
  classNameOf,
  mirroredDeployment,
  type DataObject,
  type MadeTemplate,
  type PoolFacts,
  type PoolTemplate,
} from './facts.ts';
import { poolLabel } from './names.ts';
import { deletionOf, patchUnlessSame, type Write } from './writes.ts';

/** Names of the templates that machines are or will be made of. */
export function usedTemplates(facts: PoolFacts): Set<string> {
  // Of a pool that is paused, or whose next template is faulty, there is no set yet.
  const asked = mirroredDeployment(facts)?.spec.template?.spec?.class?.name ?? '';
  return new Set([facts.current, asked, ...templatesInUse(facts)]);
}

export function templatesInUse({ ours }: Pick<PoolFacts, 'ours'>): Set<string> {
  const ofMachines = ours.machines.map(({ spec }) => spec.class?.name ?? '');
  const ofSets = ours.sets.map((set) => classNameOf(set) ?? '');
  return new Set([...ofSets, ...ofMachines]);
}

export function templateWrites(facts: PoolFacts, names: Iterable<string>): Write[] {
  return [...new Set(names)].flatMap((name) => {
    const template = facts.templates.get(name);
    return template?.made ? writesOf(facts, template, template.made) : [];
  });
}

/**
 * A set that was made of a class keeps it as it is, whatever this version would make of the same
 * template; credentials are always those of now.
 */
function writesOf(facts: PoolFacts, { name }: PoolTemplate, made: MadeTemplate): Write[] {
  const { ours, theirs } = facts;
  const { namespace } = theirs.deployment.metadata;
  const metadata = {
    name,
    namespace: namespace ?? '',
    labels: { [front.pool]: poolLabel(theirs.deployment.metadata.name) },
  };
  const isUsed = ours.sets.some((set) => classNameOf(set) === name);
  const { secretData, configData } = made;
  const machineClass = byName(ours.classes).get(name);
  return [
    ...dataWrites('secret', { metadata, data: secretData, present: ours.secrets }),
    ...(configData
      ? dataWrites('configMap', {
          metadata,
          data: configData,
          present: ours.configMaps,
          isKept: isUsed,
        })
      : []),
    ...classWrites(classOf(metadata, made), machineClass, isUsed),
  ];
}

const kindNames = { secret: 'Secret', configMap: 'ConfigMap' } as const;

type PoolMeta = Pick<ObjectMeta, 'name'> & { namespace: string; labels: Record<string, string> };

interface WantedData {
  metadata: PoolMeta;
  data: Record<string, string>;
  present: readonly DataObject[];
  /** As it is, where it is. */
  isKept?: boolean;
}

function dataWrites(
  kind: 'secret' | 'configMap',
  { metadata, data, present, isKept = false }: WantedData,
): Write[] {
  const { name } = metadata;
  const found = byName(present).get(name);
  if (!found) {
    const body = { apiVersion: 'v1', kind: kindNames[kind], metadata, data };
    return [{ verb: 'create', kind, name, body }];
  }
  const patch = isKept ? undefined : mergePatchOf(found.data, data);
  return patchUnlessSame(kind, found, { data: patch });
}

interface NewClass {
  annotations: Record<string, string>;
  content: Pick<MachineClass, 'provider' | 'providerSpec' | 'secretRef'>;
  metadata: PoolMeta;
}

function classOf(metadata: PoolMeta, made: MadeTemplate): NewClass {
  const { provider, providerSpec, classAnnotations, configData } = made;
  const { name, namespace } = metadata;
  const notes = { ...classAnnotations, ...(configData && { [annotations.userDataConfig]: name }) };
  return {
    metadata,
    annotations: notes,
    content: { provider, providerSpec, secretRef: { name, namespace } },
  };
}

function classWrites(
  { metadata, annotations: notes, content }: NewClass,
  present: MachineClass | undefined,
  isKept: boolean,
): Write[] {
  const { name } = metadata;
  if (!present) {
    const body = {
      apiVersion,
      kind: 'MachineClass',
      metadata: { ...metadata, annotations: notes },
      ...content,
    };
    return [{ verb: 'create', kind: 'class', name, body }];
  }
  if (isKept) return [];
  const { provider, providerSpec, secretRef } = present;
  const annotated = { ...present.metadata.annotations, ...notes };
  return patchUnlessSame('class', present, {
    ...Object(mergePatchOf({ provider, providerSpec, secretRef }, content)),
    metadata: defined({ annotations: mergePatchOf(present.metadata.annotations, annotated) }),
  });
}

/** Their finalizers of the core keep class and Secret while a machine is left. */
export function unusedTemplateDeletions(
  { ours }: PoolFacts,
  isUsed: (name: string) => boolean,
): Write[] {
  const kinds = [
    ['class', ours.classes],
    ['secret', ours.secrets],
    ['configMap', ours.configMaps],
  ] as const;
  return kinds.flatMap(([kind, objects]) =>
    objects
      .filter(({ metadata }) => !isUsed(metadata.name) && metadata.deletionTimestamp === undefined)
      .map((object) => deletionOf(kind, object)),
  );
}
